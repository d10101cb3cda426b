using System;
using System.Collections.Generic;
using System.Text;

namespace Cupel.Native.Interop
{
    /// <summary>Makes native items, one call per field, with a native builder that is used again.</summary>
    internal sealed class ItemWriter : IDisposable
    {
        private readonly ItemBuilderHandle _builder = new ItemBuilderHandle();
        private byte[] _text = new byte[256];
        private int _textLength;
        private byte[] _key = new byte[64];
        private int _keyLength;

        public void Dispose()
        {
            _builder.Dispose();
        }

        internal ItemHandle Write(ContextItem item, string parameter)
        {
            try
            {
                using (HandleLease lease = Start(item, parameter))
                {
                    Fill(lease.Pointer, item, parameter);
                    return Build(lease.Pointer, parameter);
                }
            }
            catch (EncoderFallbackException cause)
            {
                // Everything else was checked when the item was built.
                throw new ArgumentException(
                    parameter + ": the text of a metadata value has an unpaired surrogate.", parameter, cause);
            }
        }

        private static void Encode(string text, ref byte[] buffer, out int length)
        {
            // Three bytes per character suffice; only long texts are counted first.
            if (text.Length * 3L > buffer.Length)
            {
                int bytes = Utf8.Strict.GetByteCount(text);
                if (bytes > buffer.Length)
                {
                    TextBuffer.Grow(ref buffer, 0, bytes);
                }
            }

            length = Utf8.Strict.GetBytes(text, 0, text.Length, buffer, 0);
        }

        private static unsafe ItemHandle Build(IntPtr builder, string parameter)
        {
            var owner = new ItemHandle();
            IntPtr item;
            IntPtr error;
            int status = NativeMethods.cupel_item_builder_build(builder, &item, &error);
            Failure.ThrowIfFailed(status, error, parameter);
            owner.Own(item);
            return owner;
        }

        private unsafe HandleLease Start(ContextItem item, string parameter)
        {
            Encode(item.Content, ref _text, out _textLength);
            fixed (byte* text = _text)
            {
                IntPtr error;
                if (_builder.IsInvalid)
                {
                    IntPtr builder;
                    int made = NativeMethods.cupel_item_builder_new(
                        text, (UIntPtr)(uint)_textLength, item.Tokens, &builder, &error);
                    Failure.ThrowIfFailed(made, error, parameter);
                    _builder.Own(builder);
                    return new HandleLease(_builder, nameof(Batch));
                }

                var lease = new HandleLease(_builder, nameof(Batch));
                int reset = NativeMethods.cupel_item_builder_reset(
                    lease.Pointer, text, (UIntPtr)(uint)_textLength, item.Tokens, &error);
                if (reset != 0)
                {
                    lease.Dispose();
                }

                Failure.ThrowIfFailed(reset, error, parameter);
                return lease;
            }
        }

        private unsafe void Fill(IntPtr builder, ContextItem item, string parameter)
        {
            IntPtr error;
            int status;
            Encode(item.Kind.Value, ref _text, out _textLength);
            fixed (byte* text = _text)
            {
                status = NativeMethods.cupel_item_builder_set_kind(builder, text, (UIntPtr)(uint)_textLength, &error);
                Failure.ThrowIfFailed(status, error, parameter);
            }

            Encode(item.Source.Value, ref _text, out _textLength);
            fixed (byte* text = _text)
            {
                status = NativeMethods.cupel_item_builder_set_source(builder, text, (UIntPtr)(uint)_textLength, &error);
                Failure.ThrowIfFailed(status, error, parameter);
            }

            foreach (string tag in item.TagArray)
            {
                Encode(tag, ref _text, out _textLength);
                fixed (byte* text = _text)
                {
                    status = NativeMethods.cupel_item_builder_add_tag(builder, text, (UIntPtr)(uint)_textLength, &error);
                    Failure.ThrowIfFailed(status, error, parameter);
                }
            }

            if (item.Priority.HasValue)
            {
                status = NativeMethods.cupel_item_builder_set_priority(builder, item.Priority.Value, &error);
                Failure.ThrowIfFailed(status, error, parameter);
            }

            if (item.OriginalTokens.HasValue)
            {
                status = NativeMethods.cupel_item_builder_set_original_tokens(
                    builder, item.OriginalTokens.Value, &error);
                Failure.ThrowIfFailed(status, error, parameter);
            }

            if (item.TimestampNanoseconds.HasValue)
            {
                status = NativeMethods.cupel_item_builder_set_timestamp(
                    builder, item.TimestampNanoseconds.Value, &error);
                Failure.ThrowIfFailed(status, error, parameter);
            }

            if (item.FutureRelevanceHint.HasValue)
            {
                status = NativeMethods.cupel_item_builder_set_future_relevance_hint(
                    builder, item.FutureRelevanceHint.Value, &error);
                Failure.ThrowIfFailed(status, error, parameter);
            }

            if (item.Pinned)
            {
                status = NativeMethods.cupel_item_builder_set_pinned(builder, 1, &error);
                Failure.ThrowIfFailed(status, error, parameter);
            }

            foreach (KeyValuePair<string, object> entry in item.MetadataEntries)
            {
                SetMetadata(builder, entry.Key, MetadataValue.Of(entry.Value), parameter);
            }
        }

        private unsafe void SetMetadata(IntPtr builder, string name, MetadataValue value, string parameter)
        {
            Encode(name, ref _key, out _keyLength);
            Encode(value.Text ?? string.Empty, ref _text, out _textLength);
            fixed (byte* key = _key, text = _text)
            {
                var keyLength = (UIntPtr)(uint)_keyLength;
                var textLength = (UIntPtr)(uint)_textLength;
                IntPtr error;
                int status;
                switch (value.Type)
                {
                    case MetadataValue.String:
                        status = NativeMethods.cupel_item_builder_set_metadata_string(
                            builder, key, keyLength, text, textLength, &error);
                        break;
                    case MetadataValue.Double:
                        status = NativeMethods.cupel_item_builder_set_metadata_double(
                            builder, key, keyLength, value.Number, &error);
                        break;
                    default:
                        status = NativeMethods.cupel_item_builder_set_metadata_other(
                            builder, key, keyLength, text, textLength, &error);
                        break;
                }

                Failure.ThrowIfFailed(status, error, parameter);
            }
        }
    }
}
