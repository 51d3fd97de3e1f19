import Testing

@testable import MediaTypes

@Suite struct FreePiecesTests {
    @Test func removeUnused_piecesOfAPeak_keepsThoseInUse() {
        var pieces = FreePieces(capacity: 8)
        for address in 1...6 { _ = pieces.giveBack(UInt(address)) }
        // They were returned since the last check, so they are in use.
        let atOnce = pieces.removeUnused()
        #expect(atOnce.isEmpty && pieces.addresses.count == 6)
        for _ in 0..<10 {
            let taken = [pieces.take(), pieces.take()].compactMap(\.self)
            #expect(taken.count == 2)
            for address in taken { _ = pieces.giveBack(address) }
        }
        let unused = pieces.removeUnused()
        #expect(unused == [1, 2, 3, 4])
        #expect(pieces.addresses.sorted() == [5, 6])
        let rest = pieces.removeUnused()
        #expect(rest.sorted() == [5, 6] && pieces.addresses.isEmpty)
        let (nothing, none) = (pieces.removeUnused(), pieces.take())
        #expect(nothing.isEmpty && none == nil)
    }

    @Test func removeUnused_allTakenOnce_removesNothing() {
        var pieces = FreePieces(capacity: 4)
        for address in 1...4 { _ = pieces.giveBack(UInt(address)) }
        _ = pieces.removeUnused()
        let taken = (0..<4).compactMap { _ in pieces.take() }
        let none = pieces.take()
        #expect(taken == [4, 3, 2, 1] && none == nil)
        for address in taken { _ = pieces.giveBack(address) }
        let isKept = pieces.giveBack(9)
        #expect(!isKept)
        let unused = pieces.removeUnused()
        #expect(unused.isEmpty)
    }

    @Test func deallocateUnused_poolAfterAPeak_keepsThePiecesInUse() {
        let pool = MemoryPool(byteCount: 1000, capacity: 8)
        let peak = (0..<8).map { _ in pool.take() }
        for piece in peak { pool.giveBack(piece.baseAddress) }
        #expect(pool.deallocateUnused() == 0)
        for _ in 0..<3 { pool.giveBack(pool.take().baseAddress) }
        #expect(pool.deallocateUnused() == 7000)
        pool.giveBack(pool.take().baseAddress)
        #expect(pool.allocationCount == 8)
        #expect(pool.deallocateUnused() == 0)
    }
}
