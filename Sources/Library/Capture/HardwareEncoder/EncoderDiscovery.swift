import CV4L2
package import MediaTypes

/// An encoder of this machine: a memory-to-memory device that accepts raw frames and returns packets.
package struct EncoderDevice: Sendable, Hashable {
    /// The device node, such as `/dev/video11`.
    package var path: String
    package var name: String
    package var driver: String
    /// The codecs by their V4L2 codes, such as `H264`.
    package var codecs: [String]
    /// The pixel formats for frames by their V4L2 codes, such as `NV12`.
    package var frameFormats: [String]
    /// The largest frame; nil if the driver does not report it.
    package var largestFrame: FrameSize?
    /// True if the driver uses the multi-planar interface.
    package var isMultiplanar: Bool

    /// True if `--encoder v4l2` can use the device.
    package var encodesH264: Bool { codecs.contains("H264") && frameFormats.contains { Self.usable.contains($0) } }

    private static let usable: Set<String> = ["NV12", "NM12", "YU12", "YM12"]
}

/// Finds the encoders of this machine.
package enum EncoderDiscovery {
    /// Returns every encoder, ordered by node number. Blocks for some milliseconds; a driver that hangs is left out
    /// after `patience`.
    package static func encoders(patience: MediaTime = MediaTime(value: 2, timescale: 1)) -> [EncoderDevice] {
        probes.answers(of: nodes(), patience: patience.nanoseconds).compactMap { $0 ?? nil }
    }

    private static let probes = NodeProbes<EncoderDevice?> { EncoderDiscovery.probe($0) }

    /// Returns the node that `--encoder v4l2` uses. Opens it briefly.
    ///
    /// - Parameter path: The node; nil for the first one that encodes H.264.
    /// - Throws: `notFound`, `deviceUnsuitable`, `notPermitted`, or the error for the errno.
    package static func h264(_ path: String?) throws(MediaError) -> String {
        try open(path, coded: CV4L2_PIX_H264).path
    }

    /// Opens an encoder.
    ///
    /// - Parameters:
    ///   - path: The node; nil for the first one that has the codec.
    ///   - coded: The V4L2 code of the codec.
    /// - Throws: `notFound` if there is no such encoder; the errors of `EncoderNode.init`.
    static func open(_ path: String?, coded: UInt32) throws(MediaError) -> EncoderNode {
        if let path {
            let node = try EncoderNode(path: path)
            guard encodes(node, coded) else {
                throw MediaError(
                    .deviceUnsuitable, "cannot encode with \(path)", reason: "it does not encode \(text(coded))",
                    wayOut: "`recorder devices` lists the encoders")
            }
            return node
        }
        var refusal: MediaError?
        for path in nodes() {
            do throws(MediaError) {
                let node = try EncoderNode(path: path)
                if encodes(node, coded) { return node }
            } catch {
                if error.code == .notPermitted || error.code == .busy { refusal = refusal ?? error }
            }
        }
        throw refusal
            ?? MediaError(
                .notFound, "cannot encode with --encoder v4l2",
                reason: "no encoder for \(text(coded)) is connected", wayOut: "write --encoder x264")
    }

    /// Returns true if the device encodes raw frames, rather than decoding packets.
    private static func encodes(_ node: EncoderNode, _ coded: UInt32) -> Bool {
        node.pixelFormats(node.packets).contains { $0.code == coded }
            && node.pixelFormats(node.frames).contains { !$0.isCompressed }
    }

    private static func probe(_ path: String) -> EncoderDevice? {
        guard let node = try? EncoderNode(path: path) else { return nil }
        let codecs = node.pixelFormats(node.packets).filter(\.isCompressed)
        let frames = node.pixelFormats(node.frames).filter { !$0.isCompressed }
        guard !codecs.isEmpty, !frames.isEmpty else { return nil }
        var (width, height): (UInt32, UInt32) = (0, 0)
        let hasSize = cv4l2_largest_frame(node.descriptor, codecs[0].code, &width, &height) != 0
        return EncoderDevice(
            path: path, name: node.card, driver: node.driver, codecs: codecs.map { text($0.code) },
            frameFormats: frames.map { text($0.code) },
            largestFrame: hasSize ? FrameSize(Int(width), Int(height)) : nil, isMultiplanar: node.isMultiplanar)
    }

    /// Returns a V4L2 code as text, such as `H264`.
    private static func text(_ code: UInt32) -> String {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: code >> ($0 * 8)) }
        return String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
            .trimmingSuffix(" ")
    }

    private static func nodes() -> [String] {
        KernelFiles.names(in: "/dev").compactMap { name -> (Int, String)? in
            guard name.hasPrefix("video"), let number = Int(name.dropFirst(5)) else { return nil }
            return (number, "/dev/\(name)")
        }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}

extension String {
    fileprivate func trimmingSuffix(_ character: Character) -> String {
        var text = self
        while text.last == character { text.removeLast() }
        return text
    }
}
