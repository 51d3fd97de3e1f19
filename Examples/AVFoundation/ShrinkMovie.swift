import Foundation

@main struct ShrinkMovie {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else {
            FileHandle.standardError.write(Data("usage: ShrinkMovie FILE OUTPUT.mp4\n".utf8))
            exit(64)
        }
        let shrinker = MovieShrinker(url: URL(fileURLWithPath: arguments[1]))
        try shrinker.shrink(to: URL(fileURLWithPath: arguments[2])) { error in
            if let error {
                FileHandle.standardError.write(Data("\(error.localizedDescription)\n".utf8))
                exit(1)
            }
            exit(0)
        }
        withExtendedLifetime(shrinker) { dispatchMain() }
    }
}
