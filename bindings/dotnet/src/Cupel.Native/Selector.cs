using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Cupel.Native.Interop;

namespace Cupel.Native
{
    /// <summary>
    /// Chooses the rows to keep under a token budget, and their order. Immutable; any number of threads may use it. It keeps
    /// its own share of its scorer, which can be disposed before it.
    /// </summary>
    public sealed class Selector : IDisposable
    {
        private readonly SelectorHandle _handle = new SelectorHandle();

        /// <summary>Makes a selector.</summary>
        /// <param name="policy">What it does; it is copied.</param>
        /// <exception cref="ArgumentNullException"><paramref name="policy"/> is null.</exception>
        /// <exception cref="ArgumentException">A part of the policy breaks a rule, which the message names.</exception>
        /// <exception cref="ObjectDisposedException">The scorer of the policy is disposed.</exception>
        public Selector(SelectionPolicy policy)
        {
            if (policy == null)
            {
                throw new ArgumentNullException(nameof(policy));
            }

            Require((int)policy.Slicer, (int)Slicer.Prefix, nameof(policy.Slicer));
            Require((int)policy.Placer, (int)Placer.BatchOrder, nameof(policy.Placer));
            Require((int)policy.Overflow, (int)Overflow.Proceed, nameof(policy.Overflow));
            Require((int)policy.Scarcity, (int)Scarcity.Fail, nameof(policy.Scarcity));
            CupelLibrary.RequireCompatible();
            if (policy.Scorer == null)
            {
                Make(policy, IntPtr.Zero);
                return;
            }

            using (HandleLease scorer = policy.Scorer.Lease())
            {
                _handle.Roots = policy.Scorer.Roots;
                Make(policy, scorer.Pointer);
            }
        }

        private unsafe Selector(string json, Clock clock)
        {
            byte[] bytes = Utf8.Encode(json, nameof(json));
            CupelLibrary.RequireCompatible();
            using (HandleLease time = clock.Lease())
            {
                _handle.Roots = clock.Roots;
                IntPtr handle;
                IntPtr error;
                int status;
                fixed (byte* text = bytes)
                {
                    status = NativeMethods.cupel_selector_from_json(
                        text, (UIntPtr)(uint)bytes.Length, time.Pointer, &handle, &error);
                }

                Failure.ThrowIfFailed(status, error, nameof(json), null, nameof(FromJson));
                _handle.Own(handle);
            }
        }

        /// <summary>Makes a selector from JSON: a policy, as the managed library writes it.</summary>
        /// <param name="json">The policy.</param>
        /// <param name="clock">Where decay scorers have the time from; null for the system's clock.</param>
        /// <returns>A new selector.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="json"/> is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="json"/> has an unpaired surrogate.</exception>
        /// <exception cref="CupelException">The text is not JSON, or not a policy. The message gives path, line and
        /// column.</exception>
        /// <exception cref="ObjectDisposedException">The clock is disposed.</exception>
        public static Selector FromJson(string json, [AllowNull] Clock clock = null)
        {
            return new Selector(json, clock ?? Scorer.SystemClock.Value);
        }

        /// <summary>Chooses items.</summary>
        /// <param name="items">The items. The list is copied; it may change afterwards.</param>
        /// <param name="request">The budget.</param>
        /// <returns>The selection. Its rows are positions in the list.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="items"/> is null.</exception>
        /// <exception cref="ArgumentException">An item is null, or a field of the request breaks a rule.</exception>
        /// <exception cref="CupelException">The budget cannot be met (<see cref="CupelStatus.OverBudget"/>), a count quota
        /// cannot (<see cref="CupelStatus.Shortfall"/>), or the knapsack is too large
        /// (<see cref="CupelStatus.TooLarge"/>).</exception>
        /// <exception cref="ObjectDisposedException">The selector or the previous selection is disposed.</exception>
        public Selection Select(IReadOnlyList<ContextItem> items, SelectionRequest request)
        {
            if (items == null)
            {
                throw new ArgumentNullException(nameof(items));
            }

            using (var batch = new Batch(items.Count))
            {
                batch.Append(items, false);
                using (BatchLease rows = batch.Read())
                {
                    return Select(rows, null, request, new RowSource(items));
                }
            }
        }

        /// <summary>Chooses rows of a batch.</summary>
        /// <param name="batch">The rows.</param>
        /// <param name="request">The budget.</param>
        /// <returns>The selection.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="batch"/> is null.</exception>
        /// <exception cref="ArgumentException">A field of the request breaks a rule.</exception>
        /// <exception cref="CupelException">The budget cannot be met (<see cref="CupelStatus.OverBudget"/>), a count quota
        /// cannot (<see cref="CupelStatus.Shortfall"/>), or the knapsack is too large
        /// (<see cref="CupelStatus.TooLarge"/>).</exception>
        /// <exception cref="ObjectDisposedException">The selector, the batch or the previous selection is disposed.</exception>
        public Selection Select(Batch batch, SelectionRequest request)
        {
            if (batch == null)
            {
                throw new ArgumentNullException(nameof(batch));
            }

            using (BatchLease rows = batch.Read())
            {
                return Select(rows, null, request, new RowSource(batch));
            }
        }

        /// <summary>
        /// Chooses rows of many groups in one native call: each group gets the selection that it would have in a batch of its
        /// own, with the request as the budget of each. <see cref="Selection.RowsOf"/> gives the rows of a group.
        /// </summary>
        /// <param name="batch">The rows, those of a group next to each other.</param>
        /// <param name="offsets">Group <c>i</c> has the rows from <c>offsets[i]</c> to before <c>offsets[i + 1]</c>: from 0 to the
        /// number of rows, never going down.</param>
        /// <param name="request">The budget of each group, without a previous selection. Its scores are for all rows.</param>
        /// <returns>The selection, with the rows of one group after those of another, numbered as in the batch.</returns>
        /// <exception cref="ArgumentNullException">An argument is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="offsets"/> is not as above, a field of the request breaks a rule, or
        /// there is a custom scorer in the tree and the request has no scores.</exception>
        /// <exception cref="CupelException">As for <see cref="Select(Batch, SelectionRequest)"/>; the message names the
        /// group.</exception>
        /// <exception cref="ObjectDisposedException">The selector or the batch is disposed.</exception>
        public Selection SelectGroups(Batch batch, long[] offsets, SelectionRequest request)
        {
            if (batch == null)
            {
                throw new ArgumentNullException(nameof(batch));
            }

            Scorer.CheckOffsets(offsets);
            using (BatchLease rows = batch.Read())
            {
                return Select(rows, offsets, request, new RowSource(batch));
            }
        }

        /// <summary>
        /// From which <see cref="Selection.EffectiveTarget"/> on each row is always kept. For the slicers greedy, ranked and
        /// prefix without quotas.
        /// </summary>
        /// <param name="batch">The rows.</param>
        /// <param name="selection">A selection of this selector from them.</param>
        /// <returns>Tokens for each row: 0 for pinned rows, -1 for rows that never took part.</returns>
        /// <exception cref="ArgumentNullException">An argument is null.</exception>
        /// <exception cref="ArgumentException">The slicer is another one, or the selection is of another number of
        /// rows.</exception>
        /// <exception cref="ObjectDisposedException">The selector, the batch or the selection is disposed.</exception>
        public unsafe long[] Needed(Batch batch, Selection selection)
        {
            if (batch == null)
            {
                throw new ArgumentNullException(nameof(batch));
            }

            if (selection == null)
            {
                throw new ArgumentNullException(nameof(selection));
            }

            using (HandleLease selector = Lease())
            using (HandleLease kept = selection.Lease())
            using (BatchLease rows = batch.Read())
            {
                var tokens = new long[rows.Length];
                IntPtr error;
                int status;
                fixed (long* first = tokens)
                {
                    status = NativeMethods.cupel_selector_needed(
                        selector.Pointer, rows.Pointer, kept.Pointer, first, (UIntPtr)(uint)tokens.Length, &error);
                }

                Failure.ThrowIfFailed(status, error, nameof(selection));
                return tokens;
            }
        }

        /// <summary>The selector as JSON that <see cref="FromJson"/> reads.</summary>
        /// <returns>The text.</returns>
        /// <exception cref="ArgumentException">There is a custom scorer in it, which JSON cannot express.</exception>
        /// <exception cref="ObjectDisposedException">The selector is disposed.</exception>
        public unsafe string ToJson()
        {
            using (HandleLease selector = Lease())
            using (var owner = new TextHandle())
            {
                IntPtr text;
                IntPtr error;
                int status = NativeMethods.cupel_selector_to_json(selector.Pointer, &text, &error);
                Failure.ThrowIfFailed(status, error);
                owner.Own(text);
                return owner.Text;
            }
        }

        /// <summary>Frees the selector. Doing it again does nothing; a call that is under way ends first.</summary>
        public void Dispose()
        {
            _handle.Dispose();
        }

        private static void Require(int value, int last, string name)
        {
            if (value < 0 || value > last)
            {
                throw new ArgumentOutOfRangeException("policy", value, "policy." + name + " is none of its values.");
            }
        }

        private static byte[] Key(string key, string name)
        {
            // One byte more, so that an empty key has an address: without one there is no key.
            if (key == null)
            {
                return null;
            }

            byte[] text = Utf8.Encode(key, name);
            Array.Resize(ref text, text.Length + 1);
            return text;
        }

        private static UIntPtr KeyLength(byte[] key)
        {
            return (UIntPtr)(uint)(key == null ? 0 : key.Length - 1);
        }

        private unsafe void Make(SelectionPolicy policy, IntPtr scorer)
        {
            var kinds = new TextBuffer();
            foreach (Quota quota in policy.Quotas)
            {
                kinds.Add(quota.Kind.Value);
            }

            foreach (CountQuota quota in policy.CountQuotas)
            {
                kinds.Add(quota.Kind.Value);
            }

            TextColumn names = kinds.ToColumn();
            byte[] groupKey = Key(policy.GroupKey, "policy.GroupKey");
            byte[] duplicateKey = Key(policy.DuplicateKey, "policy.DuplicateKey");
            var quotas = new NativeQuota[policy.Quotas.Count];
            var countQuotas = new NativeCountQuota[policy.CountQuotas.Count];
            fixed (byte* name = names.Data, groups = groupKey, duplicates = duplicateKey)
            {
                for (int i = 0; i < quotas.Length; i++)
                {
                    Quota quota = policy.Quotas[i];
                    quotas[i].kind = name + names.Offsets[i];
                    quotas[i].kind_len = (UIntPtr)(ulong)(names.Offsets[i + 1] - names.Offsets[i]);
                    quotas[i].min_percent = quota.MinPercent;
                    quotas[i].max_percent = quota.MaxPercent;
                }

                for (int i = 0; i < countQuotas.Length; i++)
                {
                    CountQuota quota = policy.CountQuotas[i];
                    int text = quotas.Length + i;
                    countQuotas[i].kind = name + names.Offsets[text];
                    countQuotas[i].kind_len = (UIntPtr)(ulong)(names.Offsets[text + 1] - names.Offsets[text]);
                    countQuotas[i].min_count = (UIntPtr)(uint)quota.MinCount;
                    countQuotas[i].max_count = quota.MaxCount.HasValue
                        ? (UIntPtr)(uint)quota.MaxCount.Value
                        : (UIntPtr)(UIntPtr.Size == 8 ? ulong.MaxValue : uint.MaxValue);
                }

                fixed (NativeQuota* firstQuota = quotas)
                fixed (NativeCountQuota* firstCountQuota = countQuotas)
                {
                    var native = new NativePolicy
                    {
                        struct_size = (UIntPtr)(uint)sizeof(NativePolicy),
                        scorer = scorer,
                        quotas = firstQuota,
                        quotas_len = (UIntPtr)(uint)quotas.Length,
                        count_quotas = firstCountQuota,
                        count_quotas_len = (UIntPtr)(uint)countQuotas.Length,
                        group_key = groups,
                        group_key_len = KeyLength(groupKey),
                        duplicate_key = duplicates,
                        duplicate_key_len = KeyLength(duplicateKey),
                        bucket_size = policy.BucketSize,
                        slicer = (int)policy.Slicer,
                        placer = (int)policy.Placer,
                        overflow = (int)policy.Overflow,
                        scarcity = (int)policy.Scarcity,
                        keep_duplicates = policy.KeepDuplicates ? 1 : 0,
                        pinned_first = policy.PinnedFirst ? 1 : 0,
                    };
                    IntPtr handle;
                    IntPtr error;
                    int status = NativeMethods.cupel_selector_new(&native, &handle, &error);
                    Failure.ThrowIfFailed(status, error, nameof(policy), null, "new Selector");
                    _handle.Own(handle);
                }
            }
        }

        /// <summary>Selects from a batch, or from each of its groups where there are offsets.</summary>
        private unsafe Selection Select(BatchLease batch, long[] offsets, SelectionRequest request, RowSource items)
        {
            using (HandleLease selector = Lease())
            using (HandleLease previous = request.Previous == null ? default(HandleLease) : request.Previous.Lease())
            {
                if (request.MaxRows < 0)
                {
                    throw new ArgumentOutOfRangeException(
                        nameof(request), request.MaxRows, "request.MaxRows is negative.");
                }

                IntPtr error;
                var handle = new SelectionHandle();
                IntPtr selection;
                Failure.ThrowIfFailed(NativeMethods.cupel_selection_new(&selection, &error), error);
                handle.Own(selection);
                double[] scores = request.Scores;

                // An empty array has no address, and without one there are no scores.
                double none = 0.0;
                fixed (double* given = scores)
                fixed (long* groups = offsets)
                {
                    var native = new NativeRequest
                    {
                        struct_size = (UIntPtr)(uint)sizeof(NativeRequest),
                        max_tokens = request.MaxTokens,
                        target_tokens = request.TargetTokens,
                        output_reserve = request.OutputReserve,
                        reserved_tokens = request.ReservedTokens,
                        safety_margin_percent = request.SafetyMarginPercent,
                        max_rows = (UIntPtr)(uint)request.MaxRows,
                        scores = scores != null && scores.Length == 0 ? &none : given,
                        scores_len = (UIntPtr)(uint)(scores == null ? 0 : scores.Length),
                        previous = previous.Pointer,
                    };
                    int status = offsets == null
                        ? NativeMethods.cupel_selector_select(selector.Pointer, batch.Pointer, &native, selection, &error)
                        : NativeMethods.cupel_selector_select_groups(
                            selector.Pointer,
                            batch.Pointer,
                            groups,
                            (UIntPtr)(uint)(offsets.Length - 1),
                            &native,
                            selection,
                            &error);
                    Failure.ThrowIfFailed(status, error, nameof(request));
                }

                var view = new NativeSelectionView { struct_size = (UIntPtr)(uint)sizeof(NativeSelectionView) };
                Failure.ThrowIfFailed(NativeMethods.cupel_selection_read(selection, &view, &error), error);
                return new Selection(handle, &view, items);
            }
        }

        private HandleLease Lease()
        {
            return new HandleLease(_handle, nameof(Selector));
        }
    }
}
