#if NET7_0_OR_GREATER
// Every signature is blittable; this makes the runtime and the analyzers hold us to it.
[assembly: System.Runtime.CompilerServices.DisableRuntimeMarshalling]
#endif
