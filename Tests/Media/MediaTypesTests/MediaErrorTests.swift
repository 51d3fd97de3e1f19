import Glibc
import MediaTypes
import Testing

@Suite struct MediaErrorTests {
    @Test func description_errno_namesActionReasonAndHowToFixIt() {
        let error = MediaError(errno: EBUSY, "cannot open /dev/video0", wayOut: "`fuser /dev/video0` shows which")
        #expect(error.code == .busy && error.underlying == .errno(EBUSY))
        #expect(
            error.description
                == "cannot open /dev/video0: device or resource busy (EBUSY); `fuser /dev/video0` shows which")
    }

    @Test(arguments: [
        (ENOENT, MediaError.Code.notFound), (EACCES, .notPermitted), (EROFS, .notPermitted), (ENOSPC, .diskFull),
        (EDQUOT, .diskFull), (EEXIST, .outputExists), (EIO, .ioFailure),
    ])
    func code_errno_isTheKindOfFailure(number: Int32, code: MediaError.Code) {
        #expect(MediaError(errno: number, "x").code == code)
    }

    /// libavutil/error.h
    @Test(arguments: [
        (-1_094_995_529, "AVERROR_INVALIDDATA"), (-541_478_725, "AVERROR_EOF"),
        (-1_163_346_256, "AVERROR_PATCHWELCOME"),
        (-1_128_613_112, "AVERROR_DECODER_NOT_FOUND"), (-542_398_533, "AVERROR_EXTERNAL"), (-EIO, "AVERROR(EIO)"),
    ])
    func description_ffmpegCode_hasItsName(number: Int32, name: String) {
        let error = MediaError(.corruptData, "cannot read a.mov", reason: "bad", underlying: .averror(number))
        #expect(error.description == "cannot read a.mov: bad (\(name))")
    }

    @Test func description_errnoOrALSACode_hasItsName() {
        #expect(MediaError(errno: EPROTO, "x").description.hasSuffix("(EPROTO)"))
        #expect(
            MediaError(.ioFailure, "x", reason: "y", underlying: .alsa(-ESTRPIPE)).description == "x: y (ALSA ESTRPIPE)"
        )
    }

    @Test func fourCharCode_text_isReadAndShown() {
        #expect(FourCharCode("moov").rawValue == 0x6D6F_6F76)
        #expect(FourCharCode("qt").description == "qt  ")
        #expect(FourCharCode("toolong").description == "tool")
        #expect(FourCharCode(rawValue: 0xA900_4141).description == "??AA")
        #expect(("mdat" as FourCharCode).bytes == Array("mdat".utf8))
    }
}
