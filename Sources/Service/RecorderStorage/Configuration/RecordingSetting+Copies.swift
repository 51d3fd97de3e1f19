import CommandInterface
import MediaTypes

// The destination of copies of finished files.
extension RecordingSetting {
    package static let copyTo = RecordingSetting(
        "copy-to", "rclone remote to which `recorder copy` sends finished files.", "remote",
        read: { (text, draft) throws(OptionError) in
            draft.configuration.copies.remote = text == "none" ? nil : try CopyRemote(parsing: text)
            draft.configuration.copies.isDeclined = text == "none"
        }, show: { $0.copies.remote.map { [$0.text] } ?? ($0.copies.isDeclined ? ["none"] : []) },
        adopt: {
            $1.copies.remote = $0.copies.remote
            $1.copies.isDeclined = $0.copies.isDeclined
            $1.retention.hold = $0.retention.hold
        },
        displaces: { $0 == "none" ? ["keep-until-copied"] : [] }
    )
    .rare

    package static let copyLimit = optional(
        "copy-limit", "Maximum transfer rate, e.g. 2MB/s.", "speed", \.copies.limit, isLive: true,
        parse: CopyText.parseLimit,
        text: { CopyText.text(limit: $0) }
    )
    .rare

    package static let copyHours = optional(
        "copy-hours", "Copy only in these hours, e.g. 22:00-06:00.", "hours", \.copies.hours, isLive: true,
        parse: { (text) throws(OptionError) in try CopyHours(parsing: text) }, text: \.text
    )
    .rare

    package static let keepUntilCopied = RecordingSetting(
        "keep-until-copied", "Keep files until they are copied: always or unless-full.", "when",
        read: { (text, draft) throws(OptionError) in
            draft.hold = text == "none" ? nil : try CopyText.parseHold(text)
        }, show: { [$0.retention.hold?.kind.rawValue ?? "false"] }, adopt: { $1.retention.hold = $0.retention.hold }
    )
    .rare

    static let copying = [copyTo, copyLimit, copyHours, keepUntilCopied]
}
