import Foundation

@main struct ImagesToMovie {
    static func main() throws {
        var arguments = CommandLine.arguments
        var title: String?
        if arguments.count >= 3, arguments[1] == "--title" {
            title = arguments[2]
            arguments.removeSubrange(1...2)
        }
        guard arguments.count >= 3 else {
            FileHandle.standardError.write(Data("usage: ImagesToMovie [--title TEXT] OUTPUT.mov IMAGE…\n".utf8))
            exit(64)
        }
        let images = arguments.dropFirst(2).map { URL(fileURLWithPath: $0) }
        let show = try SlideShow(images: images, title: title, width: 1280, height: 720, framesPerImage: 90)
        try show.write(to: URL(fileURLWithPath: arguments[1])) { error in
            if let error {
                FileHandle.standardError.write(Data("\(error.localizedDescription)\n".utf8))
                exit(1)
            }
            exit(0)
        }
        withExtendedLifetime(show) { dispatchMain() }
    }
}
