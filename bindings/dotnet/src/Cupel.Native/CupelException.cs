using System;

namespace Cupel.Native
{
    /// <summary>
    /// A failure of the native library for which .NET has no exception of its own: invalid JSON, or a defect in the
    /// library. Arguments that break a rule throw <see cref="ArgumentException"/> and its descendants instead.
    /// </summary>
    public class CupelException : Exception
    {
        /// <summary>Makes an exception with the default message and <see cref="CupelStatus.Panic"/>.</summary>
        public CupelException()
            : this(CupelStatus.Panic, "The native library failed.")
        {
        }

        /// <summary>Makes an exception with a message and <see cref="CupelStatus.Panic"/>.</summary>
        /// <param name="message">What failed.</param>
        public CupelException(string message)
            : this(CupelStatus.Panic, message)
        {
        }

        /// <summary>Makes an exception with a message, a cause and <see cref="CupelStatus.Panic"/>.</summary>
        /// <param name="message">What failed.</param>
        /// <param name="innerException">What made it fail.</param>
        public CupelException(string message, Exception innerException)
            : base(message, innerException)
        {
            Status = CupelStatus.Panic;
        }

        /// <summary>Makes an exception with a status and a message.</summary>
        /// <param name="status">The status that the native call returned.</param>
        /// <param name="message">What failed.</param>
        public CupelException(CupelStatus status, string message)
            : base(message)
        {
            Status = status;
        }

        /// <summary>The status that the native call returned.</summary>
        public CupelStatus Status { get; }
    }
}
