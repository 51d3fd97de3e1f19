/// Where Core Foundation's objects take their memory from. Swift's runtime does it here, so that an allocator is accepted
/// wherever Apple's calls take one, and changes nothing.
public final class CFAllocator: Sendable {
    let name: String

    init(_ name: String) { self.name = name }
}

public let kCFAllocatorDefault: CFAllocator! = nil
public let kCFAllocatorSystemDefault: CFAllocator! = CFAllocator("system default")
public let kCFAllocatorMalloc: CFAllocator! = CFAllocator("malloc")
public let kCFAllocatorMallocZone: CFAllocator! = CFAllocator("malloc zone")
/// For memory that its owner frees: calls that take a block of memory together with it never free the block.
public let kCFAllocatorNull: CFAllocator! = CFAllocator("null")
public let kCFAllocatorUseContext: CFAllocator! = CFAllocator("use context")
