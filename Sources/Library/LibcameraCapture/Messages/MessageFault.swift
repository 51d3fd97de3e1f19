/// The reason why bytes from the helper are not a valid message. Every fault ends the helper.
package enum MessageFault: Error, Sendable, Hashable {
    /// The bytes do not have the size of a message.
    case size(Int)
    /// The bytes do not begin with the magic number.
    case magic(UInt32)
    /// The message has another version: the helper and the recorder come from different packages.
    case version(UInt16)
    /// A kind that the helper does not send.
    case kind(UInt16)
    /// Bytes that must be zero are not.
    case reserved
    /// The number of file descriptors that arrived differs from the stated number, or is invalid for this kind.
    case descriptors(stated: UInt32, arrived: Int)
    /// A number that is invalid for its field.
    case number(field: String)
    /// A text that is not UTF-8, or is not padded with zeros.
    case text
}

extension MessageFault: CustomStringConvertible {
    /// The fault as the reason in an error's message.
    package var description: String {
        switch self {
        case .size(let count): "a message has \(count) bytes instead of \(MessageLayout.messageSize)"
        case .magic(let magic): "a message begins with 0x" + String(magic, radix: 16)
        case .version(let version):
            "it speaks version \(version) of the messages, but this recorder speaks version \(MessageLayout.version)"
        case .kind(let kind): "a message has the unknown kind \(kind)"
        case .reserved: "a message has reserved bytes that are not zero"
        case .descriptors(let stated, let arrived):
            "a message states \(stated) file descriptors, and \(arrived) arrived"
        case .number(let field): "a message has an invalid number: \(field)"
        case .text: "a message has an invalid text"
        }
    }
}
