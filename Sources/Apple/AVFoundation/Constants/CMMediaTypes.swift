// Codes of media types, and of media subtypes.

public let kCMMediaType_Video: FourCharCode = fourCC("vide")
public let kCMMediaType_Audio: FourCharCode = fourCC("soun")
public let kCMMediaType_Muxed: FourCharCode = fourCC("muxx")
public let kCMMediaType_Text: FourCharCode = fourCC("text")
public let kCMMediaType_ClosedCaption: FourCharCode = fourCC("clcp")
public let kCMMediaType_Subtitle: FourCharCode = fourCC("sbtl")
public let kCMMediaType_TimeCode: FourCharCode = fourCC("tmcd")
public let kCMMediaType_Metadata: FourCharCode = fourCC("meta")
public let kCMMediaType_TaggedBufferGroup: FourCharCode = fourCC("tbgr")
public let kCMMediaType_AuxiliaryPicture: FourCharCode = fourCC("auxv")

public let kCMPixelFormat_32ARGB: FourCharCode = 0x20
public let kCMPixelFormat_32BGRA: FourCharCode = fourCC("BGRA")
public let kCMPixelFormat_24RGB: FourCharCode = 0x18
public let kCMPixelFormat_16BE555: FourCharCode = 0x10
public let kCMPixelFormat_16BE565: FourCharCode = fourCC("B565")
public let kCMPixelFormat_16LE555: FourCharCode = fourCC("L555")
public let kCMPixelFormat_16LE565: FourCharCode = fourCC("L565")
public let kCMPixelFormat_16LE5551: FourCharCode = fourCC("5551")
public let kCMPixelFormat_422YpCbCr8: FourCharCode = fourCC("2vuy")
public let kCMPixelFormat_422YpCbCr8_yuvs: FourCharCode = fourCC("yuvs")
public let kCMPixelFormat_444YpCbCr8: FourCharCode = fourCC("v308")
public let kCMPixelFormat_4444YpCbCrA8: FourCharCode = fourCC("v408")
public let kCMPixelFormat_422YpCbCr16: FourCharCode = fourCC("v216")
public let kCMPixelFormat_422YpCbCr10: FourCharCode = fourCC("v210")
public let kCMPixelFormat_444YpCbCr10: FourCharCode = fourCC("v410")
public let kCMPixelFormat_8IndexedGray_WhiteIsZero: FourCharCode = 0x28

public let kCMAudioCodecType_AAC_LCProtected: FourCharCode = fourCC("paac")
public let kCMAudioCodecType_AAC_AudibleProtected: FourCharCode = fourCC("aaac")

public let kCMMuxedStreamType_MPEG1System: FourCharCode = fourCC("mp1s")
public let kCMMuxedStreamType_MPEG2Transport: FourCharCode = fourCC("mp2t")
public let kCMMuxedStreamType_MPEG2Program: FourCharCode = fourCC("mp2p")
public let kCMMuxedStreamType_DV: FourCharCode = fourCC("dv  ")

public let kCMClosedCaptionFormatType_CEA608: FourCharCode = fourCC("c608")
public let kCMClosedCaptionFormatType_CEA708: FourCharCode = fourCC("c708")
public let kCMClosedCaptionFormatType_ATSC: FourCharCode = fourCC("atcc")

public let kCMTextFormatType_QTText: FourCharCode = fourCC("text")
public let kCMTextFormatType_3GText: FourCharCode = fourCC("tx3g")

public let kCMSubtitleFormatType_3GText: FourCharCode = fourCC("tx3g")
public let kCMSubtitleFormatType_WebVTT: FourCharCode = fourCC("wvtt")

public let kCMTimeCodeFormatType_TimeCode32: FourCharCode = fourCC("tmcd")
public let kCMTimeCodeFormatType_TimeCode64: FourCharCode = fourCC("tc64")
public let kCMTimeCodeFormatType_Counter32: FourCharCode = fourCC("cn32")
public let kCMTimeCodeFormatType_Counter64: FourCharCode = fourCC("cn64")

public let kCMTimeCodeFlag_DropFrame: UInt32 = 1 << 0
public let kCMTimeCodeFlag_24HourMax: UInt32 = 1 << 1
public let kCMTimeCodeFlag_NegTimesOK: UInt32 = 1 << 2

public let kCMMetadataFormatType_ICY: FourCharCode = fourCC("icy ")
public let kCMMetadataFormatType_ID3: FourCharCode = fourCC("id3 ")
public let kCMMetadataFormatType_Boxed: FourCharCode = fourCC("mebx")
public let kCMMetadataFormatType_EMSG: FourCharCode = fourCC("emsg")
