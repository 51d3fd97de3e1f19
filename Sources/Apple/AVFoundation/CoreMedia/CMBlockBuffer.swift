import Foundation
import MediaTypes
import RealTime

/// Contiguous bytes of media.
///
/// A block from a reader borrows the reader's bytes. Functions copy borrowed bytes before they write. Writing through a
/// pointer changes the bytes in place, as in Core Media. Appended bytes are copied to the end. A returned pointer is
/// valid as long as this object exists, and refers to the bytes at the time of the call.
public final class CMBlockBuffer: @unchecked Sendable {
    // Unchecked: only the owner writes the memory, as with Apple's class. The lock protects the choice of memory.
    private enum Storage {
        case lent(MediaData)
        case own(UnsafeMutableRawBufferPointer)
    }

    private struct State {
        var storage: Storage
        /// True if a pointer to the storage was returned, so that the storage may not be freed.
        var isShown = false
        /// Earlier storage to which returned pointers may still exist.
        var retired: [Storage] = []

        var bytes: UnsafeRawBufferPointer {
            switch storage {
            case .lent(let data): data.bytes
            case .own(let memory): UnsafeRawBufferPointer(memory)
            }
        }

        mutating func replace(by memory: UnsafeMutableRawBufferPointer) {
            if isShown {
                retired.append(storage)
            } else if case .own(let old) = storage {
                free(old.baseAddress)
            }
            storage = .own(memory)
            isShown = false
        }
    }

    private let state: Locked<State>

    init(_ data: MediaData) { state = Locked(State(storage: .lent(data))) }

    /// Allocates zeroed memory; nil if there is not enough.
    init?(byteCount: Int) {
        guard let memory = Self.allocated(byteCount) else { return nil }
        state = Locked(State(storage: .own(memory)))
    }

    /// - Throws: `blockAllocationFailed` if there is not enough memory.
    init(zeros byteCount: Int) throws {
        guard let memory = Self.allocated(byteCount) else { throw Error.blockAllocationFailed }
        state = Locked(State(storage: .own(memory)))
    }

    deinit {
        state.withLock { state in
            for case .own(let memory) in state.retired + [state.storage] { free(memory.baseAddress) }
        }
    }

    private static func allocated(_ byteCount: Int) -> UnsafeMutableRawBufferPointer? {
        guard byteCount >= 0, let start = calloc(max(1, byteCount), 1) else { return nil }
        return UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    }

    public var dataLength: Int { state.withLock { $0.bytes.count } }

    /// The bytes for reading, valid as long as this object exists.
    var bytes: UnsafeRawBufferPointer {
        state.withLock { state in
            state.isShown = true
            return state.bytes
        }
    }

    /// The bytes for writing, valid as long as this object exists; nil if there is not enough memory for a copy.
    var mutableBytes: UnsafeMutableRawBufferPointer? {
        state.withLock { state in
            if case .lent = state.storage {
                let lent = state.bytes
                guard let own = Self.allocated(lent.count) else { return nil }
                own.copyMemory(from: lent)
                state.replace(by: own)
            }
            state.isShown = true
            guard case .own(let memory) = state.storage else { return nil }
            return memory
        }
    }

    /// The address of the bytes. The pointer is mutable only because of Apple's signatures. Most callers only read, so
    /// they must not cause a copy. Callers that write use a buffer that they created.
    var pointer: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(mutating: bytes.baseAddress) }

    /// Appends zeros, and passes them to `fill`, which may overwrite them.
    ///
    /// - Returns: false if there is not enough memory.
    func append(_ byteCount: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) -> Bool {
        state.withLock { state in
            let old = state.bytes
            let (total, overflow) = old.count.addingReportingOverflow(byteCount)
            guard byteCount >= 0, !overflow, let memory = Self.allocated(total) else { return false }
            memory.copyMemory(from: old)
            fill(UnsafeMutableRawBufferPointer(rebasing: memory[old.count...]))
            state.replace(by: memory)
            return true
        }
    }

    /// The same bytes in the library's form, without a copy.
    var media: MediaData {
        state.withLock { state in
            state.isShown = true
            return switch state.storage {
            case .lent(let data): data
            case .own(let memory): MediaData(borrowing: UnsafeRawBufferPointer(memory), keeping: self)
            }
        }
    }
}

extension CMBlockBuffer: Hashable {
    public static func == (a: CMBlockBuffer, b: CMBlockBuffer) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

public let kCMBlockBufferNoErr: OSStatus = 0
public let kCMBlockBufferStructureAllocationFailedErr: OSStatus = -12700
public let kCMBlockBufferBlockAllocationFailedErr: OSStatus = -12701
public let kCMBlockBufferBadCustomBlockSourceErr: OSStatus = -12702
public let kCMBlockBufferBadOffsetParameterErr: OSStatus = -12703
public let kCMBlockBufferBadLengthParameterErr: OSStatus = -12704
public let kCMBlockBufferBadPointerParameterErr: OSStatus = -12705
public let kCMBlockBufferEmptyBBufErr: OSStatus = -12706
public let kCMBlockBufferUnallocatedBlockErr: OSStatus = -12707
public let kCMBlockBufferInsufficientSpaceErr: OSStatus = -12708

public typealias CMBlockBufferFlags = UInt32
public let kCMBlockBufferAssureMemoryNowFlag: CMBlockBufferFlags = 1
public let kCMBlockBufferAlwaysCopyDataFlag: CMBlockBufferFlags = 2
public let kCMBlockBufferDontOptimizeDepthFlag: CMBlockBufferFlags = 4
public let kCMBlockBufferPermitEmptyReferenceFlag: CMBlockBufferFlags = 8
