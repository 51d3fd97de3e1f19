import Testing

/// The frame counts that recordings report at their end: "video 125 captured, 123 written, 2 dropped (2 device)".
///
/// A busy machine delays a camera, which then skips frames. A test of files therefore expects the frames that the
/// camera delivered.
struct VideoAccount {
    private(set) var captured = 0
    private(set) var written = 0
    /// Frames skipped by the camera.
    private(set) var away = 0
    /// Frames lost for any other reason.
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

    /// Returns true if the files contain each delivered frame once, for recordings that should have `all` frames.
    func isKept(in files: Int, of all: Int) -> Bool {
        // Skipped frames are reported with the next frame, which may be after the end.
        files == written && lost == 0 && (away == 0 ? captured == all : captured >= all && written < all)
    }
}
