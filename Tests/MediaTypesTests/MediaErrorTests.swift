import Glibc
import MediaTypes
import Testing

@Suite struct MediaErrorTests {
    @Test func oneLineNamesTheThingTheReasonAndTheWayOut() {
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
    func theErrnoSaysTheKindOfFailure(number: Int32, code: MediaError.Code) {
        #expect(MediaError(errno: number, "x").code == code)
    }

    @Test func fourCharacterCodesReadAsText() {
        #expect(FourCharCode("moov").rawValue == 0x6D6F_6F76)
        #expect(FourCharCode("qt").description == "qt  ")
        #expect(FourCharCode("toolong").description == "tool")
        #expect(FourCharCode(rawValue: 0xA900_4141).description == "??AA")
        #expect(("mdat" as FourCharCode).bytes == Array("mdat".utf8))
    }
}
