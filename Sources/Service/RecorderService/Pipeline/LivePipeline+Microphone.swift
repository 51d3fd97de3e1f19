import Capture
import MediaTypes

/// Handles the microphone's events. They arrive on the microphone's thread.
extension LivePipeline {
    func microphone(_ event: DeviceEvent) {
        switch event {
        case .sample(let block): handleAudio(block)
        case .lost(let count, let cause, let near):
            guard isRecorded(near) else { return }
            audio?.recordLoss(count, cause: cause)
            if cause == .device { overruns.withLock { $0 += 1 } }
        case .gone(let error):
            let isNews = recordLost(.audio)
            changing { $0.ender?.audioGone() }
            endAudioIfAlone()
            notify(.away(.audio, error, isNews: isNews))
        case .back(let format, _, let summary, _):
            changing { state in
                state.ender?.audioBack()
                state.away[.audio] = nil
                state.isAudioEnded = false
            }
            audio?.deviceBack(format)
            notify(.back(.audio, summary: summary))
        }
    }

    func handleAudio(_ block: SampleBuffer) {
        if let measure = LevelMeter.measure(block) { levels?.withLock { $0.add(measure) } }
        let now = clock.nanoseconds
        var pausedFrames = 0
        let action: SessionStarter.AudioAction? = changing { state in
            state.lastSampleAt = now
            let rate = block.format.audio.map { Int32(clamping: $0.sampleRate) }
            let place = state.line.place(block.presentationTime, frames: block.sampleCount, rate: rate)
            guard let part = block.part(place) else {
                pausedFrames = block.sampleCount
                return nil
            }
            pausedFrames = block.sampleCount - part.sampleCount
            let isWanted = state.ender?.audio(from: part.presentationTime, to: part.endTime) ?? keepsGoing
            guard isWanted || keepsGoing else { return nil }
            state.newest = max(state.newest ?? part.endTime, part.endTime)
            state.hasHeardAudio = true
            return state.starter.audio(part)
        }
        state.signal()
        if pausedFrames > 0 { audio?.recordLoss(Int64(pausedFrames), cause: .paused) }
        switch action {
        case .append(let block): audio?.append(block)
        case .appendAll(let blocks): for block in blocks { audio?.append(block) }
        case .startSession(let start):
            startSession(at: start)
            appendWaitingAudio()
        case .wait, nil: break
        }
    }

    /// Ends the audio track if both devices are disconnected, because then the file ends too. While the camera is
    /// connected, the audio track continues after the reconnect, with silence in the gap.
    func endAudioIfAlone() {
        let isAlone = state.withLock { state in
            guard state.away[.audio] != nil, video == nil || state.away[.video] != nil, !state.isAudioEnded else {
                return false
            }
            state.isAudioEnded = true
            return true
        }
        guard isAlone, let audio else { return }
        audio.deviceGone()
        // The microphone may just have reconnected, on its own thread.
        if state.withLock({ $0.away[.audio] == nil }) { audio.deviceBack() }
    }
}
