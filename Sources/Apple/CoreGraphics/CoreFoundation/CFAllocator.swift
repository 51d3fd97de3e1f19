/// The source of memory for Core Foundation objects. Functions accept an allocator where Apple's do, but it has no
/// effect, because Swift's runtime allocates the memory.
public final class CFAllocator: Sendable {
    let name: String

    init(_ name: String) { self.name = name }
}

public let kCFAllocatorDefault: CFAllocator! = nil
public let kCFAllocatorSystemDefault: CFAllocator! = CFAllocator("system default")
public let kCFAllocatorMalloc: CFAllocator! = CFAllocator("malloc")
public let kCFAllocatorMallocZone: CFAllocator! = CFAllocator("malloc zone")
/// An allocator that frees nothing. A function that gets it with a block of memory never frees the block, because the
/// owner does.
public let kCFAllocatorNull: CFAllocator! = CFAllocator("null")
public let kCFAllocatorUseContext: CFAllocator! = CFAllocator("use context")
