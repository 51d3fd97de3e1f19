import ArgumentParser
import RecorderService

struct ServiceOptions: ParsableArguments {
    @Option(.preRoll) var preRoll: String?
    @Flag(.armed) var armed: Bool?
    @Option(.onOverload) var onOverload: String?
    @Option(.queueMemory) var queueMemory: String?
    @Option(.hook) var hook: [String]
    @Option(.hookTimeLimit) var hookTimeLimit: String?
    @Option(.controlGroup) var controlGroup: String?

    var assignments: [SettingAssignment] {
        typealias Setting = RecordingSetting
        return Setting.preRoll.given(preRoll) + Setting.armed.given(armed) + Setting.onOverload.given(onOverload)
            + Setting.queueMemory.given(queueMemory) + Setting.hook.given(hook)
            + Setting.hookTimeLimit.given(hookTimeLimit)
            + Setting.controlGroup.given(controlGroup)
    }
}
