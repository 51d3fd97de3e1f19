import Foundation
import TestSupport
import Testing

/// The measurement of the soak, applied to a movie with known claps.
@Suite struct ClapMeasureVirtualTime {
    /// Ten seconds with a flash in every odd second, and a beep 60 ms later. The third beep ends too soon.
    @Test func clapMeasure_knownClaps_givesOffsetsWithoutTruncatedBeep() throws {
        let place = try TemporaryDirectory()
        let movie = place.file("claps.mov")
        let frame =
            "nullsrc=s=64x36:r=30,format=yuv420p,geq=lum='if(between(mod(T,2),0.999,1.149),235,16)':cb=128:cr=128"
        let beep = "between(mod(t,2),1.06,if(eq(floor(t/2),2),1.11,1.21))"
        let result = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", frame, "-f", "lavfi", "-i",
                "aevalsrc='0.6*cos(2*PI*1000*t)*\(beep)':s=48000", "-t", "10", "-c:v", "libx264", "-c:a", "pcm_s16le",
                movie.path,
            ])
        try #require(result.status == 0, "\(result.errors)")
        let measure = try ClapMeasure(movie, frame: 1 / 30, length: 0.15)
        #expect(measure.flashes.map { Int($0.rounded()) } == [1, 3, 5, 7, 9])
        #expect(measure.beeps.count == 4)
        #expect(measure.offsets.count == 4 && measure.offsets.allSatisfy { abs($0 + 0.06) < 0.002 }, "\(measure)")
    }
}
