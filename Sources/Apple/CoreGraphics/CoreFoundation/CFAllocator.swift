/// The source of memory for Core Foundation objects. Here Swift's runtime allocates memory, so an allocator is accepted
/// wherever Apple's functions have one, and has no effect.
public final class CFAllocator: Sendable {
    let name: String

    init(_ name: String) { self.name = name }
}

public let kCFAllocatorDefault: CFAllocator! = nil
public let kCFAllocatorSystemDefault: CFAllocator! = CFAllocator("system default")
public let kCFAllocatorMalloc: CFAllocator! = CFAllocator("malloc")
public let kCFAllocatorMallocZone: CFAllocator! = CFAllocator("malloc zone")
/// The allocator for memory that its owner frees: functions that get it with a block of memory never free the block.
public let kCFAllocatorNull: CFAllocator! = CFAllocator("null")
public let kCFAllocatorUseContext: CFAllocator! = CFAllocator("use context")
