import Foundation
import TestSupport
import Testing

@testable import LibcameraCapture

/// The helper is built from a header in C++: its numbers must be the ones that the recorder uses.
@Suite struct MessageLayoutTests {
    private typealias Layout = MessageLayout

    private let numbers: [String: Int] = [
        "messageSize": Layout.messageSize, "magic": Int(Layout.magic), "version": Int(Layout.version),
        "magicAt": Layout.magicAt, "versionAt": Layout.versionAt, "kindAt": Layout.kindAt,
        "descriptorsAt": Layout.descriptorsAt, "reservedAt": Layout.reservedAt,
        "textAt": Layout.textAt, "textSize": Layout.textSize,
        "shortTextAt": Layout.shortTextAt, "shortTextSize": Layout.shortTextSize,
        "cameraLocationAt": Layout.cameraLocationAt, "cameraRotationAt": Layout.cameraRotationAt,
        "countAt": Layout.countAt, "deviceAt": Layout.deviceAt, "controlTypeAt": Layout.controlTypeAt,
        "controlMinimumAt": Layout.controlMinimumAt, "controlMaximumAt": Layout.controlMaximumAt,
        "controlInitialAt": Layout.controlInitialAt, "choiceValueAt": Layout.choiceValueAt,
        "setValueAt": Layout.setValueAt, "widthAt": Layout.widthAt, "heightAt": Layout.heightAt,
        "formatAt": Layout.formatAt, "buffersAt": Layout.buffersAt, "strideAt": Layout.strideAt,
        "orientationAt": Layout.orientationAt, "shortestIntervalAt": Layout.shortestIntervalAt,
        "longestIntervalAt": Layout.longestIntervalAt, "primariesAt": Layout.primariesAt,
        "transferAt": Layout.transferAt, "matrixAt": Layout.matrixAt, "rangeAt": Layout.rangeAt,
        "bufferAt": Layout.bufferAt, "planesAt": Layout.planesAt, "planeAt": Layout.planeAt,
        "planeSize": Layout.planeSize, "statusAt": Layout.statusAt, "sequenceAt": Layout.sequenceAt,
        "usedAt": Layout.usedAt, "timestampAt": Layout.timestampAt, "sensorAt": Layout.sensorAt,
        "durationAt": Layout.durationAt, "exposureAt": Layout.exposureAt, "queuedAt": Layout.queuedAt,
        "causeAt": Layout.causeAt, "errnoAt": Layout.errnoAt, "mostPlanes": Layout.mostPlanes,
        "mostBuffers": Layout.mostBuffers,
        "longestDuration": Int(MessageBytes.longestDuration),
    ]

    @Test func layout_headerOfTheHelper_hasTheSameNumbers() throws {
        var expected = numbers
        for kind in HelperKind.allCases { expected["\(kind)"] = Int(kind.rawValue) }
        for kind in RecorderKind.allCases { expected["\(kind)"] = Int(kind.rawValue) }
        for cause in HelperFailure.Cause.allCases { expected["\(cause)"] = Int(cause.rawValue) }
        let header = try String(
            contentsOf: Project.file("Sources/Programs/recorder-libcamera/messages.h"), encoding: .utf8)
        var found: [String: Int] = [:]
        for line in header.split(separator: "\n") where line.hasPrefix("constexpr ") {
            let words = line.split(separator: " ")
            let digits = words[4].prefix { $0 != ";" }.filter { $0 != "'" }
            let value = digits.hasPrefix("0x") ? Int(digits.dropFirst(2), radix: 16) : Int(digits)
            let number: Int = try #require(value, "\(line)")
            found[String(words[2])] = number
        }
        #expect(found == expected)
    }

    @Test func fields_ofEachMessage_areInsideIt() {
        let ends = [
            Layout.textAt + Layout.textSize, Layout.shortTextAt + Layout.shortTextSize, Layout.queuedAt + 4,
            Layout.planeAt + Layout.mostPlanes * Layout.planeSize, Layout.controlInitialAt + 8, Layout.rangeAt + 4,
        ]
        for end in ends { #expect(end <= Layout.messageSize) }
        // The texts are after the numbers, and not inside one another.
        #expect(Layout.shortTextAt + Layout.shortTextSize <= Layout.textAt)
        #expect(Layout.queuedAt + 4 <= Layout.textAt && Layout.rangeAt + 4 <= Layout.textAt)
        #expect(Layout.planeAt + Layout.mostPlanes * Layout.planeSize <= Layout.textAt)
    }
}
