import TestSupport

/// A generator with the same numbers for the same seed.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

/// A kind of damage to a file, as disks, memory sticks and incomplete copies cause it.
enum Mutation: CustomStringConvertible {
    case bits([Int])
    case zeroedSectors(at: Int, count: Int)
    case foreignSectors(at: Int, count: Int, seed: UInt64)
    case missing(Range<Int>)
    case doubled(Range<Int>)
    /// Two adjacent ranges in the opposite order.
    case swapped(from: Int, middle: Int, to: Int)

    /// - Parameter edges: starts of fragments, for those that are swapped.
    init(_ dice: inout Dice, size: Int, edges: [Int] = []) {
        let place = Int.random(in: 0..<size, using: &dice)
        let sector = place / 512 * 512
        let length = Int.random(in: 1...max(2, min(64 << 10, size / 4)), using: &dice)
        let range = place..<min(size, place + length)
        switch Int.random(in: 0..<(edges.count > 3 ? 7 : 6), using: &dice) {
        case 0, 1: self = .bits((0..<Int.random(in: 1...3, using: &dice)).map { min(size - 1, place + $0 * 977) })
        case 2: self = .zeroedSectors(at: sector, count: Int.random(in: 1...16, using: &dice))
        case 3:
            self = .foreignSectors(
                at: sector, count: Int.random(in: 1...16, using: &dice), seed: dice.next() % 1000 + 1)
        case 4: self = .missing(range)
        case 5: self = .doubled(range)
        default:
            let first = Int.random(in: 0..<(edges.count - 2), using: &dice)
            self = .swapped(from: edges[first], middle: edges[first + 1], to: edges[first + 2])
        }
    }

    var isOfFragments: Bool { if case .swapped = self { true } else { false } }

    /// The number of places that it damages.
    var places: Int {
        switch self {
        case .bits(let places): places.count
        case .missing: 1
        case .doubled, .zeroedSectors, .foreignSectors: 2
        case .swapped: 3
        }
    }

    func applied(to bytes: [UInt8]) -> [UInt8] {
        var damaged = bytes
        switch self {
        case .bits(let places): for place in places { damaged[place] ^= 1 << UInt8(place % 8) }
        case .zeroedSectors(let start, let count):
            for place in start..<min(bytes.count, start + count * 512) { damaged[place] = 0 }
        case .foreignSectors(let start, let count, let seed):
            let end = min(bytes.count, start + count * 512)
            damaged.replaceSubrange(start..<end, with: SyntheticMedia.noise(end - start, seed: seed))
        case .missing(let range): damaged.removeSubrange(range)
        case .doubled(let range): damaged.insert(contentsOf: bytes[range], at: range.upperBound)
        case .swapped(let from, let middle, let to):
            damaged.replaceSubrange(from..<to, with: bytes[middle..<to] + bytes[from..<middle])
        }
        return damaged
    }

    var description: String {
        switch self {
        case .bits(let places): "bits at \(places)"
        case .zeroedSectors(let start, let count): "\(count) sectors of zeros at \(start)"
        case .foreignSectors(let start, let count, _): "\(count) foreign sectors at \(start)"
        case .missing(let range): "\(range) missing"
        case .doubled(let range): "\(range) doubled"
        case .swapped(let from, let middle, let to): "\(from), \(middle), \(to) swapped"
        }
    }
}
