using System;
using System.Diagnostics.CodeAnalysis;
using Cupel.Native.Interop;

namespace Cupel.Native
{
    /// <summary>
    /// Where a piece of context came from. An open set of names: any text that is not blank.
    /// Two are equal when their names are equal under ASCII case folding; the default value is <see cref="Chat"/>.
    /// </summary>
    public readonly struct ContextSource : IEquatable<ContextSource>
    {
        private readonly string _value;

        /// <summary>Makes a source of any name.</summary>
        /// <param name="value">The name. Its case is kept.</param>
        /// <exception cref="ArgumentNullException"><paramref name="value"/> is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="value"/> is blank, or has an unpaired surrogate.</exception>
        public ContextSource(string value)
        {
            Utf8.Checked(value, nameof(value));
            if (string.IsNullOrWhiteSpace(value))
            {
                throw new ArgumentException("A source must not be empty or only white space.", nameof(value));
            }

            _value = value;
        }

        /// <summary>The conversation.</summary>
        public static ContextSource Chat { get; } = new ContextSource("Chat");

        /// <summary>A tool.</summary>
        public static ContextSource Tool { get; } = new ContextSource("Tool");

        /// <summary>Retrieval.</summary>
        public static ContextSource Rag { get; } = new ContextSource("Rag");

        /// <summary>The name, as it was written.</summary>
        public string Value
        {
            get { return _value ?? "Chat"; }
        }

        /// <summary>Whether two names are equal under ASCII case folding.</summary>
        /// <param name="left">One.</param>
        /// <param name="right">The other.</param>
        /// <returns>True when they are.</returns>
        public static bool operator ==(ContextSource left, ContextSource right)
        {
            return left.Equals(right);
        }

        /// <summary>Whether two names differ under ASCII case folding.</summary>
        /// <param name="left">One.</param>
        /// <param name="right">The other.</param>
        /// <returns>True when they do.</returns>
        public static bool operator !=(ContextSource left, ContextSource right)
        {
            return !left.Equals(right);
        }

        /// <inheritdoc/>
        public bool Equals(ContextSource other)
        {
            return AsciiCase.Equals(Value, other.Value);
        }

        /// <inheritdoc/>
        public override bool Equals([AllowNull] object obj)
        {
            return obj is ContextSource other && Equals(other);
        }

        /// <inheritdoc/>
        public override int GetHashCode()
        {
            return AsciiCase.GetHashCode(Value);
        }

        /// <summary>The name, as it was written.</summary>
        /// <returns><see cref="Value"/>.</returns>
        public override string ToString()
        {
            return Value;
        }
    }
}
