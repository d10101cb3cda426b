using System;
using System.Diagnostics.CodeAnalysis;
using Cupel.Native.Interop;

namespace Cupel.Native
{
    /// <summary>
    /// A metadata value that is neither text nor a number, known by its text alone. <see cref="Batch.ItemAt"/> gives
    /// it where the row was filled from a Boolean, a date or any other object.
    /// </summary>
    public sealed class OpaqueValue : IEquatable<OpaqueValue>
    {
        /// <summary>Makes a value of its text.</summary>
        /// <param name="text">The text; may be empty.</param>
        /// <exception cref="ArgumentNullException"><paramref name="text"/> is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="text"/> has an unpaired surrogate.</exception>
        public OpaqueValue(string text)
        {
            Text = Utf8.Checked(text, nameof(text));
        }

        /// <summary>The text of the value.</summary>
        public string Text { get; }

        /// <inheritdoc/>
        public bool Equals([AllowNull] OpaqueValue other)
        {
            return !ReferenceEquals(other, null) && Text == other.Text;
        }

        /// <inheritdoc/>
        public override bool Equals([AllowNull] object obj)
        {
            return Equals(obj as OpaqueValue);
        }

        /// <inheritdoc/>
        public override int GetHashCode()
        {
            return Text.GetHashCode();
        }

        /// <summary>The text of the value.</summary>
        /// <returns><see cref="Text"/>.</returns>
        public override string ToString()
        {
            return Text;
        }
    }
}
