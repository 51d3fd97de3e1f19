import Foundation
import TestSupport

@testable import Signing

/// A false statement of a cut by a writer without a key, chosen by a seed.
struct StatementLie {
    private(set) var statement: CutStatement
    private(set) var text = ""
    private let media: [UInt8]

    /// - Parameter media: bytes of the movie, to be stated as those of other samples.
    init(_ statement: CutStatement, media: [UInt8]) { (self.statement, self.media) = (statement, media) }

    mutating func tell(using random: inout SeededRandom) {
        guard !statement.tracks.isEmpty, !statement.fragments.isEmpty else { return }
        let track = Int.random(in: 0..<statement.tracks.count, using: &random)
        let fragment =
            Bool.random(using: &random)
            ? Int.random(in: 0..<statement.fragments.count, using: &random)
            : Bool.random(using: &random) ? 0 : statement.fragments.count - 1
        switch Int.random(in: 0..<10, using: &random) {
        case 0: changeTimes(track, using: &random)
        case 1: unprove(track, fragment, using: &random)
        case 2: unproveAll(track, fragment)
        case 3: changeKept(fragment, using: &random)
        case 4: exchange(fragment, using: &random)
        case 5, 6: changeRest(fragment, using: &random)
        case 7: moveIntoRest(fragment, using: &random)
        case 8: nameAgain(track, using: &random)
        default: addRest(fragment, using: &random)
        }
    }

    private mutating func changeTimes(_ track: Int, using random: inout SeededRandom) {
        let step = Int64([1, -1, 2, 80, 3000, 90_000, .max].randomElement(using: &random) ?? 1)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: statement.tracks[track].decodeTime &+= step
        case 1: statement.tracks[track].compositionOffset &+= Int32(truncatingIfNeeded: step)
        case 2: statement.tracks[track].zero &+= step
        case 3: statement.from.value &+= step
        case 4: statement.tracks[track].source = UInt32.random(in: 0...5, using: &random)
        default: statement.tracks[track].id = UInt32.random(in: 0...5, using: &random)
        }
        text = "times or numbers of track \(track)"
    }

    /// States some samples as unproven.
    private mutating func unprove(_ track: Int, _ fragment: Int, using random: inout SeededRandom) {
        let count = Int.random(in: 1...200, using: &random)
        if Bool.random(using: &random) {
            statement.tracks[track].before += count
        } else {
            statement.tracks[track].after += count
        }
        for part in statement.fragments[fragment].kept.indices where Bool.random(using: &random) {
            statement.fragments[fragment].kept[part][1] = max(0, statement.fragments[fragment].kept[part][1] - count)
        }
        text = "\(count) samples that nothing proves"
    }

    /// States all samples of a fragment as unproven, as earlier versions did for partial leaves.
    private mutating func unproveAll(_ track: Int, _ fragment: Int) {
        for part in statement.fragments[fragment].kept.indices {
            let kept = statement.fragments[fragment].kept[part]
            statement.fragments[fragment].kept[part] = [kept[0] + min(1, kept[1]), 0, kept[2]]
            if fragment == 0 {
                statement.tracks[track].before += kept[1]
            } else {
                statement.tracks[track].after += kept[1]
            }
        }
        statement.fragments[fragment].rest = nil
        text = "a fragment of which nothing is proven"
    }

    private mutating func changeKept(_ fragment: Int, using random: inout SeededRandom) {
        guard let part = statement.fragments[fragment].kept.indices.randomElement(using: &random) else { return }
        let count = Int.random(in: 1...3, using: &random)
        statement.fragments[fragment].kept[part][1] -= count
        statement.fragments[fragment].kept[part][Bool.random(using: &random) ? 0 : 2] += count
        text = "\(count) samples fewer of a fragment"
    }

    /// Names a track twice, and another track or the same one as its source.
    private mutating func nameAgain(_ track: Int, using random: inout SeededRandom) {
        var again = statement.tracks[track]
        again.source = statement.tracks.randomElement(using: &random)?.source ?? again.source
        if Bool.random(using: &random) { again.before = -1 }
        statement.tracks.insert(again, at: Int.random(in: 0...statement.tracks.count, using: &random))
        text = "track \(track) twice"
    }

    private mutating func exchange(_ fragment: Int, using random: inout SeededRandom) {
        let other = Int.random(in: 0..<statement.fragments.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: statement.fragments.swapAt(fragment, other)
        case 1: statement.fragments.remove(at: fragment)
        default: statement.fragments.insert(statement.fragments[other], at: fragment)
        }
        text = "other fragments"
    }

    private mutating func changeRest(_ fragment: Int, using random: inout SeededRandom) {
        guard var rest = statement.fragments[fragment].rest?.first else {
            return addRest(fragment, using: &random)
        }
        var (before, after) = (Self.bytes(rest.before), Self.bytes(rest.after))
        switch Int.random(in: 0..<5, using: &random) {
        case 0: before += media.prefix(2)
        case 1: after = Array(after.dropLast(2))
        case 2: (before, after) = (after, before)
        case 3: if !before.isEmpty { before[Int.random(in: 0..<before.count, using: &random)] ^= 1 }
        default: before = Array(before.dropFirst(2))
        }
        (rest.before, rest.after) = (Self.text(before), Self.text(after))
        statement.fragments[fragment].rest = Bool.random(using: &random) ? [rest] : [rest, rest]
        text = "another rest of a leaf"
    }

    /// States frames of the movie as the rest of a leaf.
    private mutating func moveIntoRest(_ fragment: Int, using random: inout SeededRandom) {
        guard let own = statement.fragments[fragment].rest?.first,
            let part = statement.fragments[fragment].kept.firstIndex(where: { $0[1] > 30 }),
            let track = statement.tracks.firstIndex(where: { $0.source == own.id })
        else { return unprove(0, fragment, using: &random) }
        var rest = own
        let count = Int.random(in: 1...20, using: &random)
        rest.before = Self.text(Self.bytes(rest.before) + media.prefix(count * 2))
        statement.fragments[fragment].rest = [rest]
        statement.fragments[fragment].kept[part][1] -= count
        if Bool.random(using: &random) { statement.tracks[track].before += count }
        text = "\(count) frames in the rest of a leaf"
    }

    private mutating func addRest(_ fragment: Int, using random: inout SeededRandom) {
        let count = 2 * Int.random(in: 1...100, using: &random)
        let rest = CutStatement.Rest(
            id: UInt32.random(in: 1...3, using: &random), before: Self.text(Array(media.prefix(count))), after: "")
        statement.fragments[fragment].rest = (statement.fragments[fragment].rest ?? []) + [rest]
        text = "a rest more"
    }

    private static func bytes(_ text: String) -> [UInt8] { Data(base64Encoded: text).map { Array($0) } ?? [] }
    private static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
