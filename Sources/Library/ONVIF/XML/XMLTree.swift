/// One element of an XML document, with its attributes, its text and its children. Names have no prefix.
package struct XMLTree: Sendable, Hashable {
    package let name: String
    package let attributes: [String: String]
    /// The text of the element itself, without blanks at both ends.
    package private(set) var text = ""
    package private(set) var children: [XMLTree] = []

    /// The maximum number of elements in a document.
    package static let mostElements = 8192

    /// Reads a document, and returns its outermost element.
    package static func read(_ bytes: [UInt8]) throws(XMLFailure) -> XMLTree {
        var reader = try XMLReader(bytes)
        var (open, count) = ([XMLTree](), 0)
        var root: XMLTree?
        while let event = try reader.next() {
            switch event {
            case .start(let name, let attributes):
                count += 1
                guard count <= mostElements else { throw XMLFailure("it has more than \(mostElements) elements") }
                open.append(XMLTree(name: name, attributes: attributes))
            case .text(let text): if let last = open.indices.last { open[last].text += text }
            case .end:
                guard var element = open.popLast() else { break }
                element.text = trimmed(element.text)
                if let parent = open.indices.last { open[parent].children.append(element) } else { root = element }
            }
        }
        guard let root else { throw XMLFailure("it has no element") }
        return root
    }

    private init(name: String, attributes: [String: String]) { (self.name, self.attributes) = (name, attributes) }

    private static func trimmed(_ text: String) -> String {
        let start = text.drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }

    /// The first child with this name.
    package subscript(name: String) -> XMLTree? { children.first { $0.name == name } }

    /// Returns all children with this name.
    package func all(_ name: String) -> [XMLTree] { children.filter { $0.name == name } }

    /// Returns the text of the element at the end of a path of children; nil if there is none, or no text.
    package func text(at path: String...) -> String? {
        var element = self
        for name in path {
            guard let child = element[name] else { return nil }
            element = child
        }
        return element.text.isEmpty ? nil : element.text
    }

    /// The words of the element's text, as in a list of XML Schema.
    package var words: [String] { text.split { $0.isWhitespace }.map(String.init) }
}
