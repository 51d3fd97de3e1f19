/// An ALSA name, parsed for the sound card that it means: `hw:1,0`, `plughw:CARD=Webcam,DEV=0`. A plain value.
///
/// Source: alsa-lib, src/conf/alsa.conf: the arguments CARD, DEV and SUBDEV, in this order if they are not named.
struct ALSAName {
    /// The kind, such as `hw:`; the entire name if it means no card.
    private let kind: Substring
    private var arguments: [Substring] = []
    private var cardIndex: Int?

    /// Kinds whose first argument is a card.
    private static let kindsOfCards: Set<Substring> = [
        "hw", "plughw", "sysdefault", "dsnoop", "front", "iec958", "usbstream",
    ]

    init(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), Self.kindsOfCards.contains(text[..<colon]) else {
            kind = text[...]
            return
        }
        kind = text[...colon]
        arguments = text[text.index(after: colon)...].split(separator: ",", omittingEmptySubsequences: false)
        cardIndex = arguments.firstIndex { $0.hasPrefix("CARD=") }
        if cardIndex == nil, arguments.first?.contains("=") == false { cardIndex = 0 }
    }

    /// The card's number or id; nil if the name has none.
    var card: String? {
        cardIndex.map { index in
            let argument = arguments[index]
            return String(argument.hasPrefix("CARD=") ? argument.dropFirst(5) : argument)
        }
    }

    /// Returns the name with the card's id instead of its number; unchanged if it has no number, or if the id is
    /// unknown.
    func withCardByID(_ id: (Int) -> String?) -> String {
        var arguments = arguments
        if let cardIndex, let number = card.flatMap({ Int($0) }), let id = id(number) {
            let isNamed = arguments[cardIndex].hasPrefix("CARD=")
            arguments[cardIndex] = isNamed ? "CARD=\(id)" : Substring(id)
        }
        return kind + arguments.joined(separator: ",")
    }
}
