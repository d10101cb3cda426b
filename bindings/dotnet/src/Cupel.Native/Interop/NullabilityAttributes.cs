#if !NETCOREAPP
namespace System.Diagnostics.CodeAnalysis
{
    /// <summary>Says that null may be passed or set. The platform has this attribute from .NET Core 3.0 on.</summary>
    [AttributeUsage(AttributeTargets.Field | AttributeTargets.Parameter | AttributeTargets.Property)]
    internal sealed class AllowNullAttribute : Attribute
    {
    }

    /// <summary>Says that null may come back. The platform has this attribute from .NET Core 3.0 on.</summary>
    [AttributeUsage(AttributeTargets.Field | AttributeTargets.Parameter | AttributeTargets.Property | AttributeTargets.ReturnValue)]
    internal sealed class MaybeNullAttribute : Attribute
    {
    }
}
#endif
