// Result codes of Core Audio's functions. The errors of AVAudioFile and AVAudioConverter have the same codes.

public let kAudio_UnimplementedError: OSStatus = -4
public let kAudio_FileNotFoundError: OSStatus = -43
public let kAudio_FilePermissionError: OSStatus = -54
public let kAudio_TooManyFilesOpenError: OSStatus = -42
public let kAudio_ParamError: OSStatus = -50
public let kAudio_MemFullError: OSStatus = -108

public let kAudioFileUnspecifiedError: OSStatus = 0x7768_743F  // wht?
public let kAudioFileUnsupportedFileTypeError: OSStatus = 0x7479_703F  // typ?
public let kAudioFileUnsupportedDataFormatError: OSStatus = 0x666D_743F  // fmt?
public let kAudioFileUnsupportedPropertyError: OSStatus = 0x7074_793F  // pty?
public let kAudioFileBadPropertySizeError: OSStatus = 0x2173_697A  // !siz
public let kAudioFilePermissionsError: OSStatus = 0x7072_6D3F  // prm?
public let kAudioFileNotOptimizedError: OSStatus = 0x6F70_746D  // optm
public let kAudioFileInvalidChunkError: OSStatus = 0x6368_6B3F  // chk?
public let kAudioFileDoesNotAllow64BitDataSizeError: OSStatus = 0x6F66_663F  // off?
public let kAudioFileInvalidPacketOffsetError: OSStatus = 0x7063_6B3F  // pck?
public let kAudioFileInvalidFileError: OSStatus = 0x6474_613F  // dta?
public let kAudioFileOperationNotSupportedError: OSStatus = 0x6F70_3F3F  // op??
public let kAudioFileNotOpenError: OSStatus = -38
public let kAudioFileEndOfFileError: OSStatus = -39
public let kAudioFilePositionError: OSStatus = -40
public let kAudioFileFileNotFoundError: OSStatus = -43

public let kExtAudioFileError_InvalidProperty: OSStatus = -66561
public let kExtAudioFileError_InvalidPropertySize: OSStatus = -66562
public let kExtAudioFileError_NonPCMClientFormat: OSStatus = -66563
public let kExtAudioFileError_InvalidChannelMap: OSStatus = -66564
public let kExtAudioFileError_InvalidOperationOrder: OSStatus = -66565
public let kExtAudioFileError_InvalidDataFormat: OSStatus = -66566
public let kExtAudioFileError_MaxPacketSizeUnknown: OSStatus = -66567
public let kExtAudioFileError_InvalidSeek: OSStatus = -66568
public let kExtAudioFileError_AsyncWriteTooLarge: OSStatus = -66569
public let kExtAudioFileError_AsyncWriteBufferOverflow: OSStatus = -66570
