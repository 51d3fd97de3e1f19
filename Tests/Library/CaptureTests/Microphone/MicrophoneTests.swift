import MediaTypes
import Testing

@testable import Capture

@Suite struct MicrophoneNegotiationTests {
    private let card = MicrophoneCapabilities(
        formats: [.s16, .s24, .s32], sampleRates: [44_100, 48_000, 96_000], channels: [1, 2])

    private func first(_ capabilities: MicrophoneCapabilities, _ request: MicrophoneRequest = .init()) throws
        -> AudioFormat
    {
        try #require(try capabilities.choices(for: request, device: "hw:1,0").first)
    }

    private func message(_ request: MicrophoneRequest) -> String {
        let error = #expect(throws: MediaError.self) { try card.choices(for: request, device: "hw:1,0") }
        #expect(error?.code == .deviceUnsuitable)
        return error?.description ?? ""
    }

    @Test func microphoneFormat_noRequest_isStereoAt48kHz() throws {
        #expect(try first(card) == AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2))
    }

    @Test func microphoneFormat_limitedDevice_usesTheNextBest() throws {
        let array = MicrophoneCapabilities(formats: [.s32], sampleRates: [16_000], channels: [4, 8])
        #expect(
            try first(array) == AudioFormat(pcm: .s32, sampleRate: 16_000, channelCount: 4, layout: .discrete(4)))
        let mono = MicrophoneCapabilities(formats: [.s24], sampleRates: [32_000, 44_100], channels: [1])
        #expect(try first(mono) == AudioFormat(pcm: .s24, sampleRate: 44_100, channelCount: 1))
    }

    @Test func microphoneFormat_request_isTheOnlyChoice() throws {
        let request = MicrophoneRequest(sampleRate: 96_000, channels: 1, format: .s24)
        #expect(
            try card.choices(for: request, device: "hw:1,0") == [
                AudioFormat(pcm: .s24, sampleRate: 96_000, channelCount: 1)
            ])
    }

    @Test func microphoneFormat_unsupportedRequest_isRefusedWithTheNearest() {
        #expect(message(.init(sampleRate: 47_000)).contains("nearest is 48000, or use plughw:1,0, which converts"))
        #expect(message(.init(sampleRate: 8_000)).contains("nearest is 44100"))
        #expect(message(.init(channels: 6)).contains("nearest is 2"))
        #expect(message(.init(format: .float32)).contains("nearest is s32"))
    }

    @Test func microphoneFormat_noUsableFormat_isRefused() {
        let odd = MicrophoneCapabilities(formats: [], sampleRates: [48_000], channels: [2])
        #expect(throws: MediaError.self) { try odd.choices(for: .init(), device: "hw:1,0") }
    }
}

@Suite struct AudioAccountTests {
    @Test func audioTime_validStamp_subtractsAvailableFrames() {
        var account = AudioAccount(sampleRate: 48_000, start: 0)
        #expect(account.firstFrame(stamp: 5_000_000_000, available: 960, now: 5_001_000_000) == 4_980_000_000)
        #expect(account.replacedStamps == 0)
    }

    @Test func audioTime_missingOrImpossibleStamp_isReplacedByTheClock() {
        var account = AudioAccount(sampleRate: 48_000, start: 4_000_000_000)
        #expect(account.firstFrame(stamp: 0, available: 480, now: 5_000_000_000) == 4_990_000_000)
        let wallClock: Int64 = 1_700_000_000_000_000_000
        #expect(account.firstFrame(stamp: wallClock, available: 480, now: 6_000_000_000) == 5_990_000_000)
        #expect(account.replacedStamps == 2)
    }

    @Test func audioAccount_interruption_countsDropsByTime() {
        var account = AudioAccount(sampleRate: 48_000, start: 0)
        #expect(account.add(blockAt: 1_000_000_000, frames: 960) == 0)
        // Jitter of the measurement is not counted as a loss.
        #expect(account.add(blockAt: 1_020_300_000, frames: 960) == 0)
        account.interrupted()
        #expect(account.add(blockAt: 2_040_300_000, frames: 960) == 48_000)
        #expect(account.add(blockAt: 2_060_300_000, frames: 960) == 0)
    }

    @Test func audioAccount_longGapOrAbsurdReadings_doesNotOverflow() {
        var account = AudioAccount(sampleRate: 192_000, start: 0)
        account.interrupted()
        #expect(account.add(blockAt: 100 * 86_400_000_000_000, frames: 960) == 100 * 86_400 * 192_000)
        #expect(account.nanoseconds(.max) == .max)
        #expect(account.firstFrame(stamp: .min, available: .max, now: 0) == -Int64.max)
        #expect(account.replacedStamps == 1)
        account.interrupted()
        #expect(account.add(blockAt: .min, frames: .max) == 0)
    }

    @Test func audioAccount_interruptionBeforeFirstBlock_countsSinceStart() {
        var account = AudioAccount(sampleRate: 48_000, start: 1_000_000_000)
        account.interrupted()
        #expect(account.add(blockAt: 1_500_000_000, frames: 960) == 24_000)
    }

    @Test func nanoseconds_unevenRate_areRoundedToTheNearest() {
        #expect(AudioAccount(sampleRate: 44_100, start: 0).nanoseconds(44_100) == 1_000_000_000)
        #expect(AudioAccount(sampleRate: 44_100, start: 0).nanoseconds(1) == 22_676)
    }
}

@Suite struct SampleRepackingTests {
    /// 1, −1 and the maximum, in 32-bit containers with garbage in the fourth byte.
    private let container: [UInt8] = [1, 0, 0, 0xAA, 0xFF, 0xFF, 0xFF, 0x55, 0xFF, 0xFF, 0x7F, 0x00]

    private func apply(_ repacking: SampleRepacking) -> [UInt8] {
        var bytes = container
        let count = bytes.withUnsafeMutableBytes { repacking.apply(to: $0) }
        return Array(bytes.prefix(count))
    }

    @Test func repacking_shiftedTo32_shiftsEachContainer() {
        #expect(apply(.shiftedTo32) == [0, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0, 0xFF, 0xFF, 0x7F])
    }

    @Test func repacking_packedTo24_keepsThreeBytes() {
        #expect(apply(.packedTo24) == [1, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F])
    }

    @Test func repacking_none_keepsTheBytes() { #expect(apply(.none) == container) }
}

@Suite struct ALSANameTests {
    @Test(arguments: [
        ("hw:1,0", "hw:Webcam,0"), ("plughw:1", "plughw:Webcam"), ("hw:CARD=1,DEV=0", "hw:CARD=Webcam,DEV=0"),
        ("hw:1,0,2", "hw:Webcam,0,2"), ("hw:DEV=0,CARD=1", "hw:DEV=0,CARD=Webcam"),
        // No number, no card, or an unknown one.
        ("hw:CARD=Webcam,DEV=1", "hw:CARD=Webcam,DEV=1"), ("hw:Webcam,1", "hw:Webcam,1"), ("default", "default"),
        ("hw:7,1", "hw:7,1"), ("plug:'hw:1'", "plug:'hw:1'"), ("hw:", "hw:"), ("", ""), ("hw:DEV=1", "hw:DEV=1"),
    ])
    func alsaName_cardNumber_becomesItsID(name: String, stable: String) {
        #expect(ALSAName(name).withCardByID { $0 == 1 ? "Webcam" : nil } == stable)
    }

    @Test(arguments: [
        ("hw:1,0", "1"), ("plughw:CARD=Webcam,DEV=0", "Webcam"), ("hw:Webcam", "Webcam"), ("default", nil),
        ("hw:DEV=1", nil),
    ])
    func alsaName_card_isItsNumberOrID(name: String, card: String?) { #expect(ALSAName(name).card == card) }
}
