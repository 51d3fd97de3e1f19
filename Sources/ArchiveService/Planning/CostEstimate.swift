/// How long a film's encoding takes, roughly: what tasks are made of equal length by, and the time that is left is told from.
/// The same on every machine, and so wrong on most; `report` shows what it really took.
package enum CostEstimate {
    /// Seconds of work.
    package static func seconds(_ film: FilmLook, _ settings: ArchiveSettings) -> Double {
        let threads = Double(max(1, settings.threads))
        // Opening, verifying, writing.
        let overhead = 0.5 + film.duration * 0.01
        guard settings.codec != "passthrough" else { return overhead }
        // More threads help less and less.
        let speed = pixelsPerSecond(settings) * (threads <= 8 ? threads : 8 + (threads - 8) / 2)
        return overhead + film.duration * film.pixelRate / speed
    }

    /// Of one thread.
    private static func pixelsPerSecond(_ settings: ArchiveSettings) -> Double {
        let factors: [String: Double] = [
            "ultrafast": 4, "superfast": 2.5, "faster": 0.75, "fast": 0.6, "medium": 0.5, "slow": 0.3, "slower": 0.15,
            "veryslow": 0.1, "placebo": 0.03,
        ]
        let factor = settings.preset.flatMap { factors[$0] } ?? 1
        return switch settings.codec {
        case "hevc": 8e6 * factor
        case "av1": 6e6 * factor
        case "prores": 50e6
        default: 50e6 * factor
        }
    }
}
