import MediaTypes

/// The buffers that the driver returns.
extension StatefulEncoder {
    /// Dequeues every buffer that the driver returned, without waiting.
    func collect(_ output: Sink) throws(EncoderFailure) {
        guard state.phase == .running || state.phase == .draining else { return }
        try collectFrames()
        try collectPackets(output)
    }

    private func collectFrames() throws(EncoderFailure) {
        while true {
            switch queues.dequeueFrame() {
            case .buffer(let index):
                if let violation = state.recordReturnedFrame(index) { throw EncoderFailure.violation(violation) }
                transfer.recordReturned(index)
            case .nothingYet: return
            case .failed(let code): throw EncoderFailure.device(code)
            }
        }
    }

    private func collectPackets(_ output: Sink) throws(EncoderFailure) {
        while state.phase == .running || state.phase == .draining {
            switch queues.dequeuePacket() {
            case .packet(let packet):
                try accept(packet, output)
                try queuePacketBuffers()
            case .nothingYet: return
            case .ended:
                guard state.phase == .draining else { throw EncoderFailure.violation(.unexpectedEnd) }
                state.recordLast()
            case .failed(let code): throw EncoderFailure.device(code)
            }
        }
    }

    private func accept(_ packet: EncoderPacket, _ output: Sink) throws(EncoderFailure) {
        let bytes = packet.byteCount > 0 ? queues.bytes(of: packet) : UnsafeRawBufferPointer(start: nil, count: 0)
        // If the buffer lacks a part of the packet, the packet is invalid and not a skipped frame, because later
        // packets refer to it.
        let whole = bytes.isEmpty ? StatefulEncoderState.Content.invalid : inspect(bytes)
        let content = packet.byteCount > 0 ? whole : .nothing
        let decision = state.recordReturnedPacket(
            StatefulEncoderState.Returned(
                index: packet.index, stamp: packet.stamp, content: content, isLast: packet.isLast,
                isCorrupt: packet.isCorrupt))
        switch decision {
        case .packet(let ticks, let isKeyframe):
            requests.recordPacket(at: ticks, isKeyframe: isKeyframe)
            try pass(.packet(bytes, ticks: ticks, isKeyframe: isKeyframe), to: output)
        case .header: try pass(.header(bytes), to: output)
        case .nothing: break
        case .restart(let violation): throw EncoderFailure.violation(violation)
        }
        if state.packetCount - packetsBefore >= Self.recovery { failures = 0 }
    }

    private func pass(_ result: Output, to output: Sink) throws(EncoderFailure) {
        do throws(MediaError) { try output(result) } catch { throw EncoderFailure.refused(error) }
    }
}
