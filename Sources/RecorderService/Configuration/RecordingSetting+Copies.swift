import CommandInterface
import MediaTypes

// The destination of copies of finished files.
extension RecordingSetting {
    package static let copyTo = RecordingSetting(
        "copy-to", "Let `recorder copy` send finished files there, as rclone spells it.", "remote",
        read: { (text, draft) throws(OptionError) in
            draft.configuration.copies.remote = text == "none" ? nil : try CopyRemote(parsing: text)
        }, show: { $0.copies.remote.map { [$0.text] } ?? [] },
        adopt: {
            $1.copies.remote = $0.copies.remote
            $1.retention.hold = $0.retention.hold
        },
        displaces: { $0 == "none" ? ["keep-until-copied"] : [] }
    )
    .rare

    package static let copyLimit = optional(
        "copy-limit", "At most 2MB/s.", "speed", \.copies.limit, isLive: true, parse: CopyText.parseLimit,
        text: { CopyText.text(limit: $0) }
    )
    .rare

    package static let copyHours = optional(
        "copy-hours", "Only from 22:00-06:00.", "hours", \.copies.hours, isLive: true,
        parse: { (text) throws(OptionError) in try CopyHours(parsing: text) }, text: \.text
    )
    .rare

    package static let keepUntilCopied = RecordingSetting(
        "keep-until-copied", "Delete no file before it is copied: always, or unless-full.", "when",
        read: { (text, draft) throws(OptionError) in
            draft.hold = text == "none" ? nil : try CopyText.parseHold(text)
        }, show: { [$0.retention.hold?.kind.rawValue ?? "false"] }, adopt: { $1.retention.hold = $0.retention.hold }
    )
    .rare

    static let copying = [copyTo, copyLimit, copyHours, keepUntilCopied]
}
