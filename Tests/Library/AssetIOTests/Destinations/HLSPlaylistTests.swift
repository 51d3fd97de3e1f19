import MediaTypes
import Testing

@testable import AssetIO

@Suite struct HLSPlaylistTests {
    @Test func playlist_growing_isAnEventWithoutEndTag() {
        var playlist = HLSPlaylist(interval: MediaTime(value: 6, timescale: 1), initialization: "a-init.mp4")
        playlist.append("a-00001.m4s", duration: MediaTime(value: 6006, timescale: 1000))
        let text = playlist.text(isEnded: false)
        #expect(text.contains("#EXT-X-PLAYLIST-TYPE:EVENT\n") && !text.contains("ENDLIST"))
        #expect(text.hasSuffix("#EXTINF:6.006000,\na-00001.m4s\n"))
    }

    @Test func playlist_targetDuration_isTheLongestSegmentRounded() {
        var playlist = HLSPlaylist(interval: MediaTime(value: 5, timescale: 2), initialization: "i")
        #expect(playlist.targetDuration == 3)
        playlist.append("1", duration: MediaTime(value: 349, timescale: 100))
        #expect(playlist.targetDuration == 3)
        playlist.append("2", duration: MediaTime(value: 35, timescale: 10))
        #expect(playlist.targetDuration == 4)
    }

    @Test func playlist_durations_haveSixDecimals() {
        var playlist = HLSPlaylist(interval: MediaTime(value: 6, timescale: 1), initialization: "i")
        playlist.append("1", duration: MediaTime(value: 1, timescale: 1_000_000))
        playlist.append("2", duration: MediaTime(value: -1, timescale: 1))
        #expect(playlist.text(isEnded: true).contains("#EXTINF:0.000001,\n1\n#EXTINF:0.000000,\n2\n#EXT-X-ENDLIST\n"))
    }
}
