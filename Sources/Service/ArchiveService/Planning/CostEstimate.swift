/// Estimates the encoding time of a movie. A plan uses the estimate to make tasks of equal length, and a run uses it to
/// predict the remaining time. The estimate ignores the speed of the machine, so it is inaccurate on most machines.
/// `report` shows the actual times.
package enum CostEstimate {
    /// Returns the estimated encoding time in seconds.
    package static func seconds(_ movie: SourceProbe, _ settings: ArchiveSettings) -> Double {
        let threads = Double(max(1, settings.threads))
        // The time to open, verify and write a movie.
        let overhead = 0.5 + movie.duration * 0.01
        guard settings.codec != "passthrough" else { return overhead }
        // Threads after the eighth count only half, because each further thread helps less.
        let speed = pixelsPerSecond(settings) * (threads <= 8 ? threads : 8 + (threads - 8) / 2)
        return overhead + movie.duration * movie.pixelRate / speed
    }

    /// Returns the assumed speed of one thread, in pixels per second.
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
