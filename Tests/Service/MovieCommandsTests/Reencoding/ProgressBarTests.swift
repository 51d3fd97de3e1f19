import MovieCommands
import Testing

@Suite struct ProgressBarTests {
    @Test func progressBar_terminal_redrawsInPlace() {
        var bar = ProgressBar(isTerminal: true, duration: 60)
        let half = bar.update(0.5, elapsed: 10)
        #expect(half?.hasPrefix("\r") == true && half?.hasSuffix("\u{1B}[K") == true && half?.contains("\n") == false)
        #expect(half?.filter { $0 == "█" }.count == 15 && half?.filter { $0 == "░" }.count == 15)
        // Thirty seconds of the movie took ten, and the other half takes as long.
        #expect(half?.contains("50 % · 3.0× · 10.00 s left") == true)
        let whole = bar.update(1, elapsed: 20)
        #expect(whole?.contains("100 % · 3.0×") == true && whole?.contains("left") == false)
        #expect(bar.end() == "\r\u{1B}[K")
        #expect(bar.end() == nil)
    }

    @Test func progressBar_justStarted_showsNoSpeed() {
        var bar = ProgressBar(isTerminal: true, duration: 60)
        #expect(bar.update(0, elapsed: 0)?.contains("0 %") == true)
        #expect(bar.update(0, elapsed: 100)?.contains("×") == false)
        #expect(bar.update(0.1, elapsed: 0.2)?.contains("left") == false)
    }

    @Test func progressBar_noTerminal_printsALineEveryTenSeconds() {
        var bar = ProgressBar(isTerminal: false, duration: 60)
        #expect(bar.update(0.1, elapsed: 1) == nil && bar.update(0.2, elapsed: 9.9) == nil)
        #expect(bar.update(0.25, elapsed: 10) == "25 % · 1.5× · 30.00 s left\n")
        #expect(bar.update(0.3, elapsed: 15) == nil)
        #expect(bar.update(0.5, elapsed: 20)?.hasPrefix("50 %") == true)
        #expect(bar.end() == nil)
    }

    @Test(arguments: [1e300, -1e300, .greatestFiniteMagnitude]) func progressBar_absurdNumbers_stillPrints(
        figure: Double
    ) {
        var bar = ProgressBar(isTerminal: true, duration: figure)
        #expect(bar.update(.nan, elapsed: 1) != nil)
        #expect(bar.update(figure, elapsed: 1) != nil)
    }
}
