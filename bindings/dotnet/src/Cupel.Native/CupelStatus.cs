namespace Cupel.Native
{
    /// <summary>The status of a native call. The numbers never change their meaning.</summary>
    public enum CupelStatus
    {
        /// <summary>The call succeeded.</summary>
        Ok = 0,

        /// <summary>A pointer that must not be null was null.</summary>
        NullArgument = 1,

        /// <summary>A text was not UTF-8.</summary>
        InvalidUtf8 = 2,

        /// <summary>A value was against the rules of the scorer or the item that it was meant for.</summary>
        InvalidArgument = 3,

        /// <summary>The content of an item was empty.</summary>
        EmptyContent = 4,

        /// <summary>A kind was empty, or only white space.</summary>
        EmptyKind = 5,

        /// <summary>A source was empty, or only white space.</summary>
        EmptySource = 6,

        /// <summary>An index was past the end, or a number was not one of an enumeration.</summary>
        OutOfRange = 7,

        /// <summary>Two lengths that must be equal were not.</summary>
        LengthMismatch = 8,

        /// <summary>A callback of the host reported a failure.</summary>
        CallbackFailed = 9,

        /// <summary>Memory could not be had.</summary>
        OutOfMemory = 10,

        /// <summary>The library failed in a way that it should not have. The call changed nothing.</summary>
        Panic = 11,

        /// <summary>A text was not the JSON that was asked for.</summary>
        InvalidJson = 12,

        /// <summary>A batch was changed while it was being scored.</summary>
        Busy = 13,

        /// <summary>The rows that must be kept exceed the budget.</summary>
        OverBudget = 14,

        /// <summary>A count quota asked for more rows of a kind than there are.</summary>
        Shortfall = 15,

        /// <summary>A knapsack was too large. The message has the bucket size that would do.</summary>
        TooLarge = 16,
    }
}
