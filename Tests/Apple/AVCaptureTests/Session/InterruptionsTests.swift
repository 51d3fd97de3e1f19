import Testing

@testable import AVCapture

@Suite struct InterruptionsTests {
    @Test func interruptions_twoDevices_beginWithTheFirstAndEndWithTheLast() {
        var interruptions = Interruptions()
        let begins = interruptions.gone("a")
        #expect(begins)
        #expect(!interruptions.gone("a") && !interruptions.gone("b"))
        #expect(!interruptions.back("a") && interruptions.areActive)
        #expect(interruptions.left("b") && !interruptions.areActive)
        let endsAgain = interruptions.back("b")
        #expect(!endsAgain)
    }
}
