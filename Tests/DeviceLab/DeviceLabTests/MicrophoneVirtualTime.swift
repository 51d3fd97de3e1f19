import Glibc
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import Capture

/// The kernel's loopback sound card, in virtual time.
@Suite(.serialized) struct MicrophoneVirtualTime {
    static let device = "hw:CARD=Loopback,DEV=1"

    private func open(_ request: MicrophoneRequest = MicrophoneRequest(), _ device: String = device) throws
        -> ALSAMicrophone
    {
        try ALSAMicrophone(device: device, request: request)
    }

    private func error(_ device: String, _ request: MicrophoneRequest = MicrophoneRequest()) -> MediaError? {
        #expect(throws: MediaError.self) { try ALSAMicrophone(device: device, request: request) }
    }

    @Test func microphone_aMinuteOfAudio_hasNoGapAndExactTimes() throws {
        let microphone = try open()
        #expect(microphone.format.audio == AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2))
        #expect(microphone.ringDuration >= MediaTime(value: 1, timescale: 2))
        let log = CaptureLog()
        let before = MonotonicClock().nanoseconds
        try microphone.start(log.receiver())
        #expect(log.waits(atMost: 70) { state in state.samples.reduce(0) { $0 + $1.sampleCount } >= 60 * 48_000 })
        microphone.stop()
        let state = log.now
        #expect(state.failure == nil && state.lost.isEmpty)
        let first = try #require(state.samples.first).time
        // The first audio frame was captured at the start of the device, to one tick of the card's clock (4 ms).
        #expect(abs((first - MediaTime(nanoseconds: before)).seconds) < 0.005)
        var frames: Int64 = 0
        var worst = 0.0
        for sample in state.samples {
            worst = max(worst, abs((sample.time - first - MediaTime(value: frames, timescale: 48_000)).seconds))
            frames += Int64(sample.sampleCount)
        }
        #expect(worst < 0.001)
    }

    @Test func microphone_playedSignal_hasTheTimeOfItsPlayback() throws {
        let player = try MicrophonePlayer()
        let microphone = try open()
        let log = CaptureLog()
        let heard = Locked<[Int64]>([])
        try microphone.start(
            log.receiver { sample in
                guard case .data(let data) = sample.content else { return }
                let values = data.bytes.bindMemory(to: Int16.self)
                for frame in 0..<sample.sampleCount where values[2 * frame] > 10_000 {
                    let time = sample.presentationTime + MediaTime(value: Int64(frame), timescale: 48_000)
                    heard.withLock { $0.append(time.nanoseconds) }
                }
            })
        // Ten seconds, in blocks of 60 ms.
        #expect(log.waits(atMost: 20) { $0.samples.count >= 170 })
        microphone.stop()
        player.stop()
        let audioTracks = heard.withLock { $0 }
        #expect(audioTracks.count >= 8)
        let played = player.instants
        for audio in audioTracks {
            let nearest = played.map { abs($0 - audio) }.min() ?? .max
            #expect(nearest < 1_000_000, "off by \(nearest) ns")
        }
    }

    @Test func microphone_overrun_recoversAndCountsItsDrops() throws {
        let microphone = try open()
        let log = CaptureLog()
        let isSlow = Locked(true)
        try microphone.start(
            log.receiver { _ in
                // One pause longer than the ring: its 4 s, and a second more.
                if log.now.samples.count == 50,
                    isSlow.withLock({ slow in
                        defer { slow = false }
                        return slow
                    })
                {
                    let clock = MonotonicClock()
                    clock.sleep(until: clock.nanoseconds + 5_000_000_000)
                }
            })
        #expect(log.waits(atMost: 30) { $0.samples.count >= 200 })
        microphone.stop()
        let state = log.now
        #expect(state.failure == nil)
        #expect(state.losses.count == 1)
        let lost = try #require(state.lost[.device])
        #expect(lost > 200_000)
        // Delivered and dropped audio adds up to the elapsed time, to a millisecond.
        let last = try #require(state.samples.last)
        let span = last.time - state.samples[0].time
        let heard = state.samples.dropLast().reduce(0) { $0 + Int64($1.sampleCount) }
        #expect(abs(span.seconds - Double(heard + lost) / 48_000) < 0.001)
    }

    @Test(arguments: [PCMSampleFormat.s16, .s24, .s32, .float32])
    func microphone_everySampleFormat_isNegotiated(format: PCMSampleFormat) throws {
        let microphone = try open(MicrophoneRequest(sampleRate: 96_000, channels: 1, format: format))
        #expect(microphone.format.audio == AudioFormat(pcm: format, sampleRate: 96_000, channelCount: 1))
        let log = CaptureLog()
        try microphone.start(log.receiver())
        #expect(log.waits(atMost: 5) { $0.samples.count >= 20 })
        microphone.stop()
        #expect(log.now.samples.allSatisfy { $0.byteCount == $0.sampleCount * format.byteCount })
        // Periods of 20 ms or less: one by one at first, then three at a time.
        #expect(log.now.samples.prefix(10).allSatisfy { (960...1920).contains($0.sampleCount) })
        #expect(log.now.samples.dropFirst(12).allSatisfy { (2880...5760).contains($0.sampleCount) })
    }

    @Test func microphone_unsupportedFormat_namesTheNearest() throws {
        // The other end plays 48 kHz stereo of 16 bits, so this end supports nothing else.
        let player = try MicrophonePlayer()
        defer { player.stop() }
        let rate = error(Self.device, MicrophoneRequest(sampleRate: 44_100))
        #expect(rate?.code == .deviceUnsuitable && rate?.wayOut.contains("nearest is 48000") == true)
        #expect(error(Self.device, MicrophoneRequest(channels: 1))?.wayOut.contains("nearest is 2") == true)
        #expect(error(Self.device, MicrophoneRequest(format: .float32))?.wayOut.contains("nearest is s16") == true)
        // ALSA's converter supports it.
        let converted = try open(
            MicrophoneRequest(sampleRate: 44_100, channels: 1, format: .float32), "plughw:CARD=Loopback,DEV=1")
        let log = CaptureLog()
        try converted.start(log.receiver())
        #expect(log.waits(atMost: 10) { $0.samples.count >= 100 })
        converted.stop()
        #expect(log.now.lost.isEmpty && log.now.failure == nil)
        let span = try #require(log.now.samples.last).time - log.now.samples[0].time
        let heard = log.now.samples.dropLast().reduce(0) { $0 + $1.sampleCount }
        #expect(abs(span.seconds - Double(heard) / 44_100) < 0.005)
    }

    @Test func microphone_missing_isNotFound() {
        for name in ["hw:7,0", "hw:CARD=Nothing", "no such microphone", "hw:Loopback,5", "plughw:9"] {
            let missing = error(name)
            #expect(missing?.code == .notFound, "\(name): \(missing?.description ?? "")")
        }
    }

    @Test func microphone_inUse_isBusy() throws {
        let first = try ALSAMicrophone(device: "hw:Loopback,1,0")
        let busy = error("hw:Loopback,1,0")
        #expect(busy?.code == .busy && busy?.wayOut.contains("fuser") == true)
        first.stop()
        let second = try ALSAMicrophone(device: "hw:Loopback,1,0")
        second.stop()
    }

    @Test func microphone_unplugged_failsOnce() throws {
        let microphone = try open()
        let log = CaptureLog()
        try microphone.start(log.receiver())
        #expect(log.waits(atMost: 5) { $0.samples.count >= 10 })
        let driver = "/sys/bus/platform/drivers/snd_aloop"
        let unplug = LabCommand("echo snd_aloop.0 > \(driver)/unbind")
        #expect(log.waits(atMost: 10) { $0.failure != nil })
        microphone.stop()
        unplug.wait()
        #expect(log.now.failure?.code == .deviceLost && log.now.eventsAfterFailure == 0)
        #expect(MicrophoneDiscovery.microphones().allSatisfy { !$0.isHardware })
        #expect(LabCommand.run("echo snd_aloop.0 > \(driver)/bind") == 0)
        #expect(eventually { access("/dev/snd/pcmC0D1c", R_OK | W_OK) == 0 })
        let again = try open()
        again.stop()
    }

    @Test func discovery_microphones_haveStableNamesAndACardFirst() throws {
        let found = MicrophoneDiscovery.microphones()
        #expect(found.filter(\.isHardware).map(\.name) == ["hw:CARD=Loopback,DEV=0", "hw:CARD=Loopback,DEV=1"])
        #expect(Set(found.map(\.name)).count == found.count)
        let card = try #require(found.first)
        #expect(card.capabilities?.formats == [.s16, .s24, .s32, .float32])
        #expect(card.capabilities?.sampleRates.contains(48_000) == true)
        #expect(MicrophoneDiscovery.first()?.name == "hw:CARD=Loopback,DEV=0")
        let byCard = try ALSAMicrophone(device: "loopback")
        #expect(byCard.device == "hw:CARD=Loopback,DEV=0")
        byCard.stop()
    }

    @Test func microphone_nameFromTheALSAConfiguration_records() throws {
        for name in ["default", "sysdefault:CARD=Loopback", "plug:'hw:Loopback,1'"] {
            let microphone = try open(MicrophoneRequest(sampleRate: 48_000, channels: 2), name)
            let log = CaptureLog()
            try microphone.start(log.receiver())
            #expect(log.waits(atMost: 10) { $0.samples.count >= 50 }, "\(name)")
            microphone.stop()
            #expect(log.now.failure == nil && log.now.lost.isEmpty)
            #expect(CaptureLog.steps(log.now.samples).allSatisfy { $0 > 0 })
        }
    }

    @Test func microphone_stop_isQuickAndFinal() throws {
        let microphone = try open()
        let log = CaptureLog()
        try microphone.start(log.receiver())
        #expect(log.waits(atMost: 5) { $0.samples.count >= 5 })
        let before = MonotonicClock().nanoseconds
        microphone.stop()
        #expect(MonotonicClock().nanoseconds - before < 50_000_000)
        let count = log.now.samples.count
        #expect(throws: MediaError.self) { try microphone.start(log.receiver()) }
        #expect(log.now.samples.count == count)
    }
}
