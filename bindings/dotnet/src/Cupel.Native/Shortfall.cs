namespace Cupel.Native
{
    /// <summary>A count quota that asked for more rows than there were.</summary>
    public readonly struct Shortfall
    {
        internal Shortfall(int entry, long required, long found)
        {
            Entry = entry;
            Required = required;
            Found = found;
        }

        /// <summary>The position of the quota in the policy.</summary>
        public int Entry { get; }

        /// <summary>How many rows it asks for.</summary>
        public long Required { get; }

        /// <summary>How many there were.</summary>
        public long Found { get; }
    }
}
