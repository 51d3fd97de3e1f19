import Testing

@testable import MediaTypes

@Suite struct DecodingEntryTests {
    /// Returns the numbers of the frames that can be decoded. K marks a keyframe, - frames that are left out.
    private func admitted(_ frames: [String], needsKeyframe: Bool = false) -> [Int64] {
        var entry = DecodingEntry(needsKeyframe: needsKeyframe)
        return frames.compactMap { text -> Int64? in
            guard text != "-" else {
                entry.leaveOut()
                return nil
            }
            let number = Int64(text.filter(\.isNumber)) ?? 0
            let isAdmitted = entry.admits(
                MediaTime(value: number, timescale: 25), isKeyframe: text.hasPrefix("K"))
            return isAdmitted ? number : nil
        }
    }

    @Test func entry_beforeAKeyframe_admitsNothing() {
        #expect(admitted(["1", "2", "K3", "4"], needsKeyframe: true) == [3, 4])
    }

    @Test func entry_leadingFramesOfTheFirstKeyframe_areLeftOut() {
        #expect(admitted(["K8", "6", "5", "7", "12", "10"], needsKeyframe: true) == [8, 12, 10])
    }

    @Test func entry_leadingFramesOfALaterKeyframe_areAdmitted() {
        #expect(admitted(["K0", "4", "2", "K8", "6", "12"], needsKeyframe: true) == [0, 4, 2, 8, 6, 12])
    }

    @Test func entry_afterMissingFrames_beginsAtTheNextKeyframe() {
        #expect(admitted(["K0", "4", "-", "3", "K8", "6", "12", "K16", "14"]) == [0, 4, 8, 12, 16, 14])
    }
}
