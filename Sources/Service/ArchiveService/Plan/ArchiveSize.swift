/// Sizes in bytes, which come from files that anyone may have written.
enum ArchiveSize {
    /// Returns the sum of two sizes, or the largest number.
    static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(max(0, b))
        return overflow ? .max : sum
    }
}
