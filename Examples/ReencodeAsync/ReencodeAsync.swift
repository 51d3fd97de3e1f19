import Foundation

/// `ReencodeAsync INPUT OUTPUT`, or `ReencodeAsync --by-hand INPUT OUTPUT`.
@main
struct ReencodeAsync {
    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let isByHand = arguments.first == "--by-hand"
        if isByHand { arguments.removeFirst() }
        let paths = arguments.map { URL(fileURLWithPath: $0) }
        guard paths.count == 2 else {
            print("usage: ReencodeAsync [--by-hand] INPUT OUTPUT")
            exit(64)
        }
        do {
            if isByHand { try await reencode(paths[0], to: paths[1]) } else { try await export(paths[0], to: paths[1]) }
            print(paths[1].path)
        } catch {
            print(error)
            exit(1)
        }
    }
}
