import AssetIO
import CommandInterface
import Foundation
import MediaCodecs
import MediaTypes

/// A waveform as an image: a lane for each channel, peaks with the RMS inside, and a time axis below.
///
/// Levels at full scale are red.
struct WaveformImage {
    private static let paper = Canvas.Color(0x15181D)
    private static let lane = Canvas.Color(0x1D2229)
    private static let line = Canvas.Color(0x343C47)
    private static let text = Canvas.Color(0x9AA5B1)
    private static let peak = Canvas.Color(0x2F7FB8)
    private static let rms = Canvas.Color(0x8FD0F5)
    private static let clipped = Canvas.Color(0xE5484D)
    private static let gap = 4

    private let waveform: Waveform
    private let names: [String]

    /// Creates the image's content.
    ///
    /// - Parameter names: The names of the channels.
    init(_ waveform: Waveform, names: [String]) { (self.waveform, self.names) = (waveform, names) }

    /// Returns a height at which every channel is legible.
    static func height(channels: Int) -> Int {
        let lane = channels == 1 ? 240 : channels == 2 ? 160 : 100
        return min(4000, channels * (lane + gap) + 24)
    }

    func draw(width: Int, height: Int) -> PixelBuffer {
        let canvas = Canvas(width: width, height: height, background: Self.paper)
        let lettering = Lettering(size: width >= 800 ? 14 : 11)
        let axis = height >= 64 ? lettering.lineHeight + 4 : 0
        let channels = max(1, waveform.channelCount)
        let room = max(1, (height - axis) / channels - Self.gap)
        for channel in 0..<waveform.channelCount {
            let top = channel * (room + Self.gap)
            drawLane(canvas, channel, top: top, height: room)
            if room >= 4 * lettering.lineHeight { label(canvas, lettering, channel, top: top, height: room) }
        }
        if axis > 0 { drawAxis(canvas, lettering, top: height - axis) }
        return canvas.finish()
    }

    private func drawLane(_ canvas: borrowing Canvas, _ channel: Int, top: Int, height: Int) {
        canvas.fill(0, top, canvas.width, height, Self.lane)
        let half = Double(height) / 2
        let middle = top + height / 2
        for mark in [0.25, 0.75] {
            canvas.fill(0, top + Int(clamping: Double(height) * mark), canvas.width, 1, Self.line)
        }
        for column in 0..<canvas.width {
            let (peak, rms) = levels(column, of: canvas.width, channel)
            func bar(_ level: Float, _ color: Canvas.Color) {
                let length = Int(clamping: (Double(min(1, level)) * half).rounded())
                if length > 0 { canvas.fill(column, middle - length, 1, 2 * length, color) }
            }
            // The largest positive sample of 16-bit audio is 0.99997, so the limit is just below full scale.
            bar(peak, peak >= 0.9999 ? Self.clipped : Self.peak)
            bar(rms, Self.rms)
        }
        canvas.fill(0, middle, canvas.width, 1, Self.line)
    }

    /// Draws the channel's name and peak on the left, and the levels of the grid lines on the right.
    private func label(
        _ canvas: borrowing Canvas, _ lettering: Lettering, _ channel: Int, top: Int, height: Int
    ) {
        guard lettering.hasLetters else { return }
        let name = names.indices.contains(channel) ? names[channel] : "channel \(channel + 1)"
        let peak = (0..<waveform.bucketCount).map { waveform.peak(bucket: $0, channel: channel) }.max() ?? 0
        let text = canvas.width >= 800 ? "\(name) · peak \(Self.decibels(peak))" : name
        write(canvas, lettering.line(text), 6, top + 2)
        for (level, place) in [("0 dB", 0.0), ("−6 dB", 0.25)] {
            let mask = lettering.line(level)
            write(canvas, mask, canvas.width - mask.width - 4, top + Int(clamping: Double(height) * place) + 1)
        }
    }

    /// Writes text on a darkened background, since loud audio is as bright as the text.
    private func write(_ canvas: borrowing Canvas, _ text: TextMask, _ x: Int, _ y: Int) {
        for _ in 1...2 { canvas.shade(x - 3, y, text.width + 6, text.height) }
        canvas.write(text, x, y, Self.text)
    }

    /// Returns a level relative to full scale, such as "−3.1 dB"; "silent" for zero.
    static func decibels(_ level: Float) -> String {
        guard level > 0, level.isFinite else { return "silent" }
        return NumberText.fixed(20 * log10(Double(level)), places: 1) + " dB"
    }

    /// Returns the maximum of the buckets that share a column.
    private func levels(_ column: Int, of columns: Int, _ channel: Int) -> (peak: Float, rms: Float) {
        let count = waveform.bucketCount
        let first = column * count / columns
        let last = max(first + 1, (column + 1) * count / columns)
        var (peak, rms): (Float, Float) = (0, 0)
        for bucket in first..<min(last, count) {
            peak = max(peak, waveform.peak(bucket: bucket, channel: channel))
            rms = max(rms, waveform.rms(bucket: bucket, channel: channel))
        }
        return (peak, rms)
    }

    // MARK: Times

    private func drawAxis(_ canvas: borrowing Canvas, _ lettering: Lettering, top: Int) {
        let (start, length) = (waveform.timeRange.start.seconds, waveform.timeRange.duration.seconds)
        guard length > 0 else { return }
        let widest = lettering.line("00:00:00").width + 2 * lettering.size
        let step = Self.step(length, most: max(1, canvas.width / widest))
        let first = (start / step).rounded(.up)
        // Multiply instead of adding: far from zero, a small step would be lost in rounding.
        for number in 0..<canvas.width {
            let time = (first + Double(number)) * step
            guard time < start + length else { break }
            let x = Int(clamping: (time - start) / length * Double(canvas.width))
            canvas.fill(x, top, 1, 4, Self.text)
            canvas.write(lettering.line(Self.label(time, step: step)), x + 4, top + 2, Self.text)
        }
    }

    /// Returns the smallest round step of which at most `most` fit into `length`.
    static func step(_ length: Double, most: Int) -> Double {
        let steps: [Double] = [
            0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800,
            3600,
            7200, 14_400, 28_800, 86_400,
        ]
        return steps.first { length / $0 <= Double(most) } ?? length / Double(most)
    }

    static func label(_ time: Double, step: Double) -> String {
        let places = step >= 1 ? 0 : step >= 0.1 ? 1 : step >= 0.01 ? 2 : 3
        if time >= 60 || places == 0 {
            // Rounding may leave a sum of steps just below a full second.
            let whole = Int(clamping: (time + step / 1000).rounded(.down))
            func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            let clock =
                whole >= 3600
                ? "\(whole / 3600):\(padded(whole / 60 % 60)):\(padded(whole % 60))"
                : "\(whole / 60):\(padded(whole % 60))"
            guard places > 0 else { return clock }
            let fraction = NumberText.fixed(max(0, time - Double(whole)), places: places)
            return clock + fraction.dropFirst()
        }
        return NumberText.fixed(time, places: places)
    }
}
