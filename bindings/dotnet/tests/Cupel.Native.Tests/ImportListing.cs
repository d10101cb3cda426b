using System;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Cupel.Native.Tests
{
    /// <summary>
    /// Writes the imports and the native structs as the compiled assembly has them, for <c>check_imports.py</c> to hold against
    /// the header and the library.
    /// </summary>
    internal static class ImportListing
    {
        private const BindingFlags All =
            BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

        internal static void Write(TextWriter output)
        {
            Assembly assembly = typeof(Batch).Assembly;
            foreach (Type type in assembly.GetTypes())
            {
                foreach (MethodInfo method in type.GetMethods(All | BindingFlags.DeclaredOnly))
                {
                    var import = (DllImportAttribute)Attribute.GetCustomAttribute(method, typeof(DllImportAttribute));
                    if (import != null)
                    {
                        WriteImport(output, method, import);
                    }
                }

                if (type.Name.StartsWith("Native", StringComparison.Ordinal) && typeof(Delegate).IsAssignableFrom(type))
                {
                    output.Write("callback " + type.Name);
                    WriteSignature(output, type.GetMethod("Invoke"));
                }
                else if (type.Name.StartsWith("Native", StringComparison.Ordinal) && type.IsValueType && !type.IsEnum)
                {
                    output.WriteLine("struct " + type.Name + " " + Marshal.SizeOf(type));
                    foreach (FieldInfo field in type.GetFields(All & ~BindingFlags.Static))
                    {
                        output.WriteLine(
                            "field " + type.Name + " " + field.Name + " " + Marshal.OffsetOf(type, field.Name) + " "
                            + field.FieldType.Name);
                    }
                }
            }

            Type[] enumerations =
            {
                typeof(CupelStatus), typeof(TextMatch), typeof(Slicer), typeof(Placer), typeof(Overflow), typeof(Scarcity),
                typeof(SelectionReason), typeof(BatchColumns),
            };
            foreach (Type enumeration in enumerations)
            {
                foreach (object value in Enum.GetValues(enumeration))
                {
                    // The empty set has no name in C.
                    if (value.Equals(BatchColumns.None))
                    {
                        continue;
                    }

                    output.WriteLine("constant " + enumeration.Name + "." + value + " " + Convert.ToInt32(value));
                }
            }

            Type metadata = assembly.GetType("Cupel.Native.Interop.MetadataValue", true);
            foreach (string name in new[] { "String", "Double", "Other" })
            {
                output.WriteLine("constant MetadataType." + name + " " + metadata.GetField(name, All).GetRawConstantValue());
            }

            FieldInfo naive = assembly.GetType("Cupel.Native.Interop.NativeArrowOptions", true).GetField("NaiveIsUtc", All);
            output.WriteLine("constant NativeArrowOptions.NaiveIsUtc " + naive.GetRawConstantValue());

            Type methods = assembly.GetType("Cupel.Native.Interop.NativeMethods", true);
            output.WriteLine("constant AbiVersion " + methods.GetField("AbiVersion", All).GetRawConstantValue());
        }

        private static void WriteImport(TextWriter output, MethodInfo method, DllImportAttribute import)
        {
            bool plain = import.CallingConvention == CallingConvention.Cdecl && import.ExactSpelling && !import.SetLastError
                && import.EntryPoint == method.Name;
            output.Write("import " + method.Name + " " + import.Value + " " + (plain ? "plain" : "odd"));
            WriteSignature(output, method);
        }

        private static void WriteSignature(TextWriter output, MethodInfo method)
        {
            output.Write(" " + method.ReturnType.Name);
            foreach (ParameterInfo parameter in method.GetParameters())
            {
                output.Write(" " + parameter.ParameterType.Name);
            }

            output.WriteLine();
        }
    }
}
