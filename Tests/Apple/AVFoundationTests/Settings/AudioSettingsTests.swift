import Foundation
import Testing

import class AssetIO.TrackOutput
import struct MediaTypes.AudioSettings
import enum MediaTypes.PCMSampleFormat

@testable import AVFoundation

@Suite struct AudioSettingsTests {
    private func faults(_ dictionary: [String: Any]) -> [String] {
        do {
            _ = try AudioSettings(dictionary)
            return []
        } catch {
            return error.list.map(\.key)
        }
    }

    private func layout(_ tag: AudioChannelLayoutTag) -> Data {
        var layout = AudioChannelLayout()
        layout.mChannelLayoutTag = tag
        return Data(bytes: &layout, count: MemoryLayout<AudioChannelLayout>.size)
    }

    @Test func audioSettings_compressed_areRead() throws {
        let settings = try AudioSettings([
            AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: NSNumber(value: 44_100.0), AVNumberOfChannelsKey: 6,
            AVChannelLayoutKey: layout(kAudioChannelLayoutTag_AAC_5_1), AVEncoderBitRateKey: Float(384_000),
        ])
        #expect(
            settings
                == AudioSettings(
                    codec: .aac, sampleRate: 44_100, channelCount: 6, layout: .surround51, bitRate: 384_000))
        let each = try AudioSettings([
            AVFormatIDKey: Int(kAudioFormatMPEG4AAC), AVNumberOfChannelsKey: 2, AVEncoderBitRatePerChannelKey: 96_000,
        ])
        #expect(each.bitRate == 192_000)
        let lossless = try AudioSettings([AVFormatIDKey: kAudioFormatAppleLossless, AVEncoderBitDepthHintKey: 24])
        #expect(lossless.codec == .alac && lossless.bitDepth == 24)
    }

    @Test func audioSettings_linearPCM_areRead() throws {
        let settings = try AudioSettings([
            AVFormatIDKey: Int(kAudioFormatLinearPCM), AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2,
            AVLinearPCMBitDepthKey: 24, AVLinearPCMIsBigEndianKey: true, AVLinearPCMIsFloatKey: false,
            AVLinearPCMIsNonInterleaved: false,
        ])
        #expect(
            settings
                == AudioSettings(codec: .linearPCM, sampleRate: 48_000, channelCount: 2, pcm: .s24, isBigEndian: true))
    }

    @Test func audioSettings_invalidValues_areReportedByKey() {
        #expect(faults([:]) == [AVFormatIDKey])
        #expect(faults([AVFormatIDKey: kAudioFormatMPEGLayer3]) == [AVFormatIDKey])
        #expect(
            faults([
                AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 0, AVNumberOfChannelsKey: 2.0,
                AVChannelLayoutKey: layout(kAudioChannelLayoutTag_Mono), AVEncoderBitRateKey: "128k",
                AVEncoderBitRateStrategyKey: "any", AVEncoderAudioQualityKey: AVAudioQuality.max.rawValue + 1,
            ]) == [
                AVChannelLayoutKey, AVEncoderBitRateKey, AVEncoderBitRateStrategyKey, AVEncoderAudioQualityKey,
                AVSampleRateKey,
            ])
        #expect(
            faults([
                AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMBitDepthKey: 16, AVLinearPCMIsFloatKey: true,
                AVLinearPCMIsNonInterleaved: true, AVChannelLayoutKey: Data(),
            ]) == [AVChannelLayoutKey, AVLinearPCMBitDepthKey, AVLinearPCMIsNonInterleaved])
    }

    @Test func audioSettings_asDictionary_roundTrip() throws {
        for settings in [
            AudioSettings(codec: .aac, sampleRate: 48_000, channelCount: 2, layout: .stereo, bitRate: 160_000),
            AudioSettings(codec: .alac, sampleRate: 96_000, channelCount: 6, layout: .surround51, bitDepth: 24),
            AudioSettings(codec: .linearPCM, sampleRate: 44_100, channelCount: 1, pcm: .float32, isBigEndian: true),
        ] {
            #expect(try AudioSettings(settings.dictionary) == settings)
        }
    }

    @Test func readerSettings_otherThanLinearPCM_areRefused() throws {
        let form = try TrackOutput.PCM([
            AVFormatIDKey: Int(kAudioFormatLinearPCM), AVLinearPCMBitDepthKey: 32, AVLinearPCMIsFloatKey: true,
            AVLinearPCMIsBigEndianKey: false, AVLinearPCMIsNonInterleaved: false, AVSampleRateKey: 16_000,
            AVNumberOfChannelsKey: 1,
        ])
        #expect(form == TrackOutput.PCM(.float32, sampleRate: 16_000, channelCount: 1))
        #expect(try TrackOutput.PCM([AVFormatIDKey: kAudioFormatLinearPCM]) == TrackOutput.PCM(.s16))
        #expect(throws: SettingsFaults.self) { try TrackOutput.PCM([AVFormatIDKey: kAudioFormatMPEG4AAC]) }
    }
}

@Suite struct SettingsNumberTests {
    @Test func settingsNumber_acceptsOnlyNumbersOfAnyType() {
        let numbers: [Any] = [
            Int8(3), Int16(3), Int32(3), Int64(3), 3, UInt8(3), UInt16(3), UInt32(3), UInt64(3), UInt(3), Float(3), 3.0,
            CGFloat(3), 3 as NSNumber, CGFloat(3) as AnyObject, 3 as AnyObject, UInt32(3) as AnyObject,
            Float(3) as AnyObject, Optional(3) as Any,
        ]
        for number in numbers {
            #expect(settingsNumber(number)?.integer == 3, "\(type(of: number))")
            #expect(settingsNumber(number)?.double == 3, "\(type(of: number))")
        }
        #expect(settingsNumber(true)?.bool == true && settingsNumber(false as AnyObject)?.bool == false)
        #expect(settingsNumber(Int.max)?.integer == Int.max && settingsNumber(UInt64.max)?.integer == nil)
        #expect(settingsNumber(Double.infinity)?.integer == nil && settingsNumber(CGFloat.nan)?.integer == nil)
        #expect(settingsNumber(-2.9)?.integer == -2)
        for other in ["3", Data([3]), [3], NSNull(), Optional<Int>.none as Any] as [Any] {
            #expect(settingsNumber(other) == nil, "\(type(of: other))")
        }
    }
}
