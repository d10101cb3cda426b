using System;
using System.Diagnostics.CodeAnalysis;
using Cupel.Native.Interop;

namespace Cupel.Native
{
    /// <summary>
    /// What a piece of context is. An open set of names: any text that is not blank.
    /// Two are equal when their names are equal under ASCII case folding; the default value is <see cref="Message"/>.
    /// </summary>
    public readonly struct ContextKind : IEquatable<ContextKind>
    {
        private readonly string _value;

        /// <summary>Makes a kind of any name.</summary>
        /// <param name="value">The name. Its case is kept.</param>
        /// <exception cref="ArgumentNullException"><paramref name="value"/> is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="value"/> is blank, or has an unpaired surrogate.</exception>
        public ContextKind(string value)
        {
            Utf8.Checked(value, nameof(value));
            if (string.IsNullOrWhiteSpace(value))
            {
                throw new ArgumentException("A kind must not be empty or only white space.", nameof(value));
            }

            _value = value;
        }

        /// <summary>A message of the conversation.</summary>
        public static ContextKind Message { get; } = new ContextKind("Message");

        /// <summary>A document, or a part of one.</summary>
        public static ContextKind Document { get; } = new ContextKind("Document");

        /// <summary>What a tool returned.</summary>
        public static ContextKind ToolOutput { get; } = new ContextKind("ToolOutput");

        /// <summary>Something remembered from before.</summary>
        public static ContextKind Memory { get; } = new ContextKind("Memory");

        /// <summary>Instructions to the model.</summary>
        public static ContextKind SystemPrompt { get; } = new ContextKind("SystemPrompt");

        /// <summary>The name, as it was written.</summary>
        public string Value
        {
            get { return _value ?? "Message"; }
        }

        /// <summary>Whether two names are equal under ASCII case folding.</summary>
        /// <param name="left">One.</param>
        /// <param name="right">The other.</param>
        /// <returns>True when they are.</returns>
        public static bool operator ==(ContextKind left, ContextKind right)
        {
            return left.Equals(right);
        }

        /// <summary>Whether two names differ under ASCII case folding.</summary>
        /// <param name="left">One.</param>
        /// <param name="right">The other.</param>
        /// <returns>True when they do.</returns>
        public static bool operator !=(ContextKind left, ContextKind right)
        {
            return !left.Equals(right);
        }

        /// <inheritdoc/>
        public bool Equals(ContextKind other)
        {
            return AsciiCase.Equals(Value, other.Value);
        }

        /// <inheritdoc/>
        public override bool Equals([AllowNull] object obj)
        {
            return obj is ContextKind other && Equals(other);
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
