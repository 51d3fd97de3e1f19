public import MediaTypes

/// Which of a recorder's own finished files go, the oldest first. Without any rule all of them stay.
public struct RetentionRules: Sendable, Hashable {
    /// Older files go.
    public var age: MediaTime?
    /// So many bytes in all stay.
    public var totalSize: Int64?
    /// Files go until so many bytes of the disk are free.
    public var freeSpace: Int64?

    public init(age: MediaTime? = nil, totalSize: Int64? = nil, freeSpace: Int64? = nil) {
        self.age = age
        self.totalSize = totalSize
        self.freeSpace = freeSpace
    }

    public var keepsEverything: Bool { age == nil && totalSize == nil && freeSpace == nil }
}
