using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Reflection;

namespace Cupel.Native.Tests
{
    /// <summary>A static method without parameters that is a test: it passes unless it throws.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    internal sealed class TestAttribute : Attribute
    {
    }

    internal static class Program
    {
        private static int Main(string[] arguments)
        {
            if (arguments.Length == 1 && arguments[0] == "--imports")
            {
                ImportListing.Write(Console.Out);
                return 0;
            }

            int passed = 0;
            int failed = 0;
            string filter = arguments.Length == 1 ? arguments[0] : string.Empty;
            Action<string, Action> run = (name, body) =>
            {
                if (!name.Contains(filter))
                {
                    return;
                }

                try
                {
                    body();
                    passed++;
                }
                catch (Exception exception)
                {
                    failed++;
                    Console.WriteLine("FAILED " + name + ": " + exception);
                }
            };
            foreach (Type type in typeof(Program).Assembly.GetTypes())
            {
                foreach (MethodInfo method in type.GetMethods(BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public))
                {
                    if (method.IsDefined(typeof(TestAttribute), false))
                    {
                        run(type.Name + "." + method.Name, (Action)method.CreateDelegate(typeof(Action)));
                    }
                }
            }

            int tests = passed + failed;
            int vectors = Conformance.Run(Environment.GetEnvironmentVariable("CUPEL_VECTORS"), run);
            Console.WriteLine(
                Check.Runtime + ": " + passed + " passed, " + failed + " failed (" + tests + " tests, " + vectors + " vectors)");
            return failed == 0 ? 0 : 1;
        }
    }
}
