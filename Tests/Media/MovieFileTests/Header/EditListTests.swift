import Testing

@testable import MovieFile

@Suite struct EditListTests {
    private func roundTrip(_ entries: [EditList.Entry]) -> (bytes: [UInt8], back: EditList?) {
        let bytes = EditList(entries).atom()
        return (bytes, EditList(payload: Array(bytes.dropFirst(8))))
    }

    @Test func editList_smallNumbers_take32Bits() {
        let entries = [EditList.Entry(duration: 500, mediaTime: -1), .init(duration: 0xFFFF_FFFF, mediaTime: 1024)]
        let (bytes, back) = roundTrip(entries)
        #expect(bytes.count == 8 + 8 + 2 * 12 && bytes[8] == 0)
        #expect(back?.entries == entries)
    }

    @Test(arguments: [
        EditList.Entry(duration: 1 << 32, mediaTime: 0), .init(duration: 1, mediaTime: 1 << 31),
        .init(duration: 1 << 40, mediaTime: -1), .init(duration: 1, mediaTime: -1 << 40),
    ])
    func editList_largeNumbers_take64Bits(entry: EditList.Entry) {
        let (bytes, back) = roundTrip([entry])
        #expect(bytes.count == 8 + 8 + 20 && bytes[8] == 1)
        #expect(back?.entries == [entry])
    }

    @Test func editList_wrongCount_isIgnored() {
        var payload = Array(EditList([.init(duration: 1, mediaTime: 2)]).atom().dropFirst(8))
        payload[4] = 0xFF
        #expect(EditList(payload: payload)?.entries.count == 1)
        #expect(
            EditList(payload: Array(payload.dropLast(1))) == nil
                || EditList(payload: Array(payload.dropLast(1)))?.entries.isEmpty == true)
        #expect(EditList(payload: []) == nil)
    }
}
