/// A font of digits to draw into frames. A digit has five columns and seven rows. Each row is one byte, with the
/// leftmost column in bit 4.
package enum DigitFont {
    package static let width = 5
    package static let height = 7

    /// Returns the rows of a character; blank rows for an unsupported character.
    package static func rows(of character: UInt8) -> [UInt8] {
        switch character {
        case UInt8(ascii: "0"): [0b01110, 0b10001, 0b10001, 0b10101, 0b10001, 0b10001, 0b01110]
        case UInt8(ascii: "1"): [0b00100, 0b01100, 0b10100, 0b00100, 0b00100, 0b00100, 0b11111]
        case UInt8(ascii: "2"): [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111]
        case UInt8(ascii: "3"): [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110]
        case UInt8(ascii: "4"): [0b10010, 0b10010, 0b10010, 0b11111, 0b00010, 0b00010, 0b00010]
        case UInt8(ascii: "5"): [0b11111, 0b10000, 0b10000, 0b11110, 0b00001, 0b00001, 0b11110]
        case UInt8(ascii: "6"): [0b01111, 0b10000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110]
        case UInt8(ascii: "7"): [0b11111, 0b00001, 0b00010, 0b00010, 0b00100, 0b00100, 0b00100]
        case UInt8(ascii: "8"): [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110]
        case UInt8(ascii: "9"): [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00001, 0b11110]
        case UInt8(ascii: ":"): [0b00000, 0b00110, 0b00110, 0b00000, 0b00110, 0b00110, 0b00000]
        case UInt8(ascii: "."): [0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b00110, 0b00110]
        default: [0, 0, 0, 0, 0, 0, 0]
        }
    }
}
