import ArgumentParser
import RecorderService

struct FileOptions: ParsableArguments {
    @Option(.output, short: "o", completion: .movie) var output: String?
    @Option(.duration) var duration: String?
    @Flag(.overwrite) var overwrite: Bool?
    @Option(.segment) var segment: String?
    @Flag(.align) var align: Bool?
    @Option(.segmentSize) var segmentSize: String?

    var assignments: [SettingAssignment] {
        typealias Setting = RecordingSetting
        return Setting.output.given(output) + Setting.duration.given(duration) + Setting.overwrite.given(overwrite)
            + Setting.segment.given(segment) + Setting.align.given(align) + Setting.segmentSize.given(segmentSize)
    }
}

/// What stays of finished recordings; `recorder retention` has these alone.
struct KeepingOptions: ParsableArguments {
    @Option(.keepFor) var keepFor: String?
    @Option(.keepSize) var keepSize: String?
    @Option(.keepFree) var keepFree: String?
    @Option(.reserve) var reserve: String?

    var assignments: [SettingAssignment] {
        typealias Setting = RecordingSetting
        return Setting.keepFor.given(keepFor) + Setting.keepSize.given(keepSize) + Setting.keepFree.given(keepFree)
            + Setting.reserve.given(reserve)
    }
}
