import Glibc

// The names of raw codes. Errors show them, because users can search for a name.
extension MediaError {
    /// Returns the name of an errno, such as `EBUSY`.
    static func errnoName(_ number: Int32) -> String { errnoNames[number] ?? "errno \(number)" }

    /// Returns the name of an FFmpeg error, such as `AVERROR_INVALIDDATA`, or `AVERROR(EIO)` for an operating system
    /// error.
    static func averrorName(_ number: Int32) -> String {
        guard number < 0, number != Int32.min else { return "AVERROR \(number)" }
        if let name = averrorTags.first(where: { tag($0.tag) == -number })?.name { return "AVERROR_" + name }
        return errnoNames[-number].map { "AVERROR(\($0))" } ?? "AVERROR \(number)"
    }

    /// FFmpeg's own codes are four characters; some start with the byte 0xF8 (libavutil/error.h, `FFERRTAG`).
    private static let averrorTags: [(tag: String, name: String)] = [
        ("\u{F8}BSF", "BSF_NOT_FOUND"), ("BUG!", "BUG"), ("BUG ", "BUG2"), ("BUFS", "BUFFER_TOO_SMALL"),
        ("\u{F8}DEC", "DECODER_NOT_FOUND"), ("\u{F8}DEM", "DEMUXER_NOT_FOUND"), ("\u{F8}ENC", "ENCODER_NOT_FOUND"),
        ("EOF ", "EOF"), ("EXIT", "EXIT"), ("EXT ", "EXTERNAL"), ("\u{F8}FIL", "FILTER_NOT_FOUND"),
        ("INDA", "INVALIDDATA"), ("\u{F8}MUX", "MUXER_NOT_FOUND"), ("\u{F8}OPT", "OPTION_NOT_FOUND"),
        ("PAWE", "PATCHWELCOME"), ("\u{F8}PRO", "PROTOCOL_NOT_FOUND"), ("\u{F8}STR", "STREAM_NOT_FOUND"),
        ("UNKN", "UNKNOWN"),
    ]

    private static func tag(_ text: String) -> Int32 {
        var value: UInt32 = 0
        for (place, scalar) in text.unicodeScalars.enumerated() {
            value |= (scalar.value & 0xFF) << (8 * UInt32(place))
        }
        return Int32(bitPattern: value)
    }

    /// The names in errno(3).
    private static let errnoNames: [Int32: String] = Dictionary(
        [
            (EPERM, "EPERM"), (ENOENT, "ENOENT"), (ESRCH, "ESRCH"), (EINTR, "EINTR"), (EIO, "EIO"), (ENXIO, "ENXIO"),
            (E2BIG, "E2BIG"), (ENOEXEC, "ENOEXEC"), (EBADF, "EBADF"), (ECHILD, "ECHILD"), (EAGAIN, "EAGAIN"),
            (ENOMEM, "ENOMEM"), (EACCES, "EACCES"), (EFAULT, "EFAULT"), (ENOTBLK, "ENOTBLK"), (EBUSY, "EBUSY"),
            (EEXIST, "EEXIST"), (EXDEV, "EXDEV"), (ENODEV, "ENODEV"), (ENOTDIR, "ENOTDIR"), (EISDIR, "EISDIR"),
            (EINVAL, "EINVAL"), (ENFILE, "ENFILE"), (EMFILE, "EMFILE"), (ENOTTY, "ENOTTY"), (ETXTBSY, "ETXTBSY"),
            (EFBIG, "EFBIG"), (ENOSPC, "ENOSPC"), (ESPIPE, "ESPIPE"), (EROFS, "EROFS"), (EMLINK, "EMLINK"),
            (EPIPE, "EPIPE"), (EDOM, "EDOM"), (ERANGE, "ERANGE"), (EDEADLK, "EDEADLK"), (ENAMETOOLONG, "ENAMETOOLONG"),
            (ENOLCK, "ENOLCK"), (ENOSYS, "ENOSYS"), (ENOTEMPTY, "ENOTEMPTY"), (ELOOP, "ELOOP"), (ENOMSG, "ENOMSG"),
            (EIDRM, "EIDRM"), (ECHRNG, "ECHRNG"), (EL2NSYNC, "EL2NSYNC"), (EL3HLT, "EL3HLT"), (EL3RST, "EL3RST"),
            (ELNRNG, "ELNRNG"), (EUNATCH, "EUNATCH"), (ENOCSI, "ENOCSI"), (EL2HLT, "EL2HLT"), (EBADE, "EBADE"),
            (EBADR, "EBADR"), (EXFULL, "EXFULL"), (ENOANO, "ENOANO"), (EBADRQC, "EBADRQC"), (EBADSLT, "EBADSLT"),
            (EBFONT, "EBFONT"), (ENOSTR, "ENOSTR"), (ENODATA, "ENODATA"), (ETIME, "ETIME"), (ENOSR, "ENOSR"),
            (ENONET, "ENONET"), (ENOPKG, "ENOPKG"), (EREMOTE, "EREMOTE"), (ENOLINK, "ENOLINK"), (EADV, "EADV"),
            (ESRMNT, "ESRMNT"), (ECOMM, "ECOMM"), (EPROTO, "EPROTO"), (EMULTIHOP, "EMULTIHOP"), (EDOTDOT, "EDOTDOT"),
            (EBADMSG, "EBADMSG"), (EOVERFLOW, "EOVERFLOW"), (ENOTUNIQ, "ENOTUNIQ"), (EBADFD, "EBADFD"),
            (EREMCHG, "EREMCHG"), (ELIBACC, "ELIBACC"), (ELIBBAD, "ELIBBAD"), (ELIBSCN, "ELIBSCN"),
            (ELIBMAX, "ELIBMAX"),
            (ELIBEXEC, "ELIBEXEC"), (EILSEQ, "EILSEQ"), (ERESTART, "ERESTART"), (ESTRPIPE, "ESTRPIPE"),
            (EUSERS, "EUSERS"),
            (ENOTSOCK, "ENOTSOCK"), (EDESTADDRREQ, "EDESTADDRREQ"), (EMSGSIZE, "EMSGSIZE"), (EPROTOTYPE, "EPROTOTYPE"),
            (ENOPROTOOPT, "ENOPROTOOPT"), (EPROTONOSUPPORT, "EPROTONOSUPPORT"), (ESOCKTNOSUPPORT, "ESOCKTNOSUPPORT"),
            (EOPNOTSUPP, "EOPNOTSUPP"), (EPFNOSUPPORT, "EPFNOSUPPORT"), (EAFNOSUPPORT, "EAFNOSUPPORT"),
            (EADDRINUSE, "EADDRINUSE"), (EADDRNOTAVAIL, "EADDRNOTAVAIL"), (ENETDOWN, "ENETDOWN"),
            (ENETUNREACH, "ENETUNREACH"), (ENETRESET, "ENETRESET"), (ECONNABORTED, "ECONNABORTED"),
            (ECONNRESET, "ECONNRESET"), (ENOBUFS, "ENOBUFS"), (EISCONN, "EISCONN"), (ENOTCONN, "ENOTCONN"),
            (ESHUTDOWN, "ESHUTDOWN"), (ETOOMANYREFS, "ETOOMANYREFS"), (ETIMEDOUT, "ETIMEDOUT"),
            (ECONNREFUSED, "ECONNREFUSED"), (EHOSTDOWN, "EHOSTDOWN"), (EHOSTUNREACH, "EHOSTUNREACH"),
            (EALREADY, "EALREADY"), (EINPROGRESS, "EINPROGRESS"), (ESTALE, "ESTALE"), (EUCLEAN, "EUCLEAN"),
            (ENOTNAM, "ENOTNAM"), (ENAVAIL, "ENAVAIL"), (EISNAM, "EISNAM"), (EREMOTEIO, "EREMOTEIO"),
            (EDQUOT, "EDQUOT"),
            (ENOMEDIUM, "ENOMEDIUM"), (EMEDIUMTYPE, "EMEDIUMTYPE"), (ECANCELED, "ECANCELED"), (ENOKEY, "ENOKEY"),
            (EKEYEXPIRED, "EKEYEXPIRED"), (EKEYREVOKED, "EKEYREVOKED"), (EKEYREJECTED, "EKEYREJECTED"),
            (EOWNERDEAD, "EOWNERDEAD"), (ENOTRECOVERABLE, "ENOTRECOVERABLE"), (ERFKILL, "ERFKILL"),
        ], uniquingKeysWith: { first, _ in first })
}
