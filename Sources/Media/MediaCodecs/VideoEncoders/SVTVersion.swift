import Glibc

/// The version of the SVT-AV1 library that libavcodec uses.
struct SVTVersion {
    let major: Int
    let minor: Int

    /// The version of the loaded library; nil if it is unknown.
    static let loaded: SVTVersion? = {
        // libavcodec links the library, but has no function that returns its version.
        guard let function = dlsym(nil, "svt_av1_get_version") else { return nil }
        typealias Version = @convention(c) () -> UnsafePointer<CChar>?
        return unsafeBitCast(function, to: Version.self)().flatMap { SVTVersion(String(cString: $0)) }
    }()

    /// Parses a text such as `v2.3.0`; nil if it is no version.
    init?(_ text: String) {
        let numbers = text.drop { $0 == "v" }.split(separator: ".").map { Int($0.prefix(while: \.isNumber)) }
        guard numbers.count >= 2, let major = numbers[0], let minor = numbers[1] else { return nil }
        (self.major, self.minor) = (major, minor)
    }

    /// True if an encoder without any frame can be drained and closed. Version 1.4.1 would block forever, and 2.3 does
    /// not. In 2.3, a frame must not be encoded only to close the encoder: this may block forever if encoders with other
    /// presets were opened meanwhile.
    var closesUnusedEncoders: Bool { (major, minor) >= (2, 3) }
}
