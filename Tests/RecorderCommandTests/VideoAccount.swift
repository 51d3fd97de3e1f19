import Testing

/// What recordings said of their pictures when they ended: "video 125 captured, 123 written, 2 dropped (2 device)".
///
/// A machine that does other things too keeps a camera waiting, and the camera then leaves pictures out: a test of files
/// asks for those that it gave.
struct VideoAccount {
    private(set) var captured = 0
    private(set) var written = 0
    /// Left out by the camera.
    private(set) var away = 0
    /// Lost for any other cause.
    var lost: Int { captured - written - away }

    init(_ results: [Command.Result]) throws {
        for result in results {
            let line = try #require(
                result.errors.firstMatch(of: /video ([\d,]+) captured, ([\d,]+) written(.*)/), "\(result.errors)")
            captured += Int(line.1.filter(\.isNumber)) ?? 0
            written += Int(line.2.filter(\.isNumber)) ?? 0
            away += line.3.firstMatch(of: /(\d+) device/).flatMap { Int($0.1) } ?? 0
        }
    }

    /// Of recordings that should have so many pictures, the files have so many: each that the camera gave, once.
    func isKept(in files: Int, of all: Int) -> Bool {
        // What was left out is told with the next picture, which may be behind the end.
        files == written && lost == 0 && (away == 0 ? captured == all : captured >= all && written < all)
    }
}
