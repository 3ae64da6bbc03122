// Package s3store is the driver for S3 and for servers with its protocol: s3://bucket.
//
// Source: Amazon S3 API reference, conditional writes and checking object integrity.
package s3store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	tmtypes "github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"mkt/internal/cluster/store/object"
)

func init() { object.Register("s3", Open) }

// settings are the parameters of an address.
type settings struct {
	load       []func(*config.LoadOptions) error
	client     []func(*s3.Options)
	role       string
	anonymous  bool
	encryption types.ServerSideEncryption
	kmsKey     string
	noChecks   bool // reads do not compare objects with their checksums
}

// Open opens a bucket. It is a [object.Driver].
func Open(ctx context.Context, address *url.URL) (object.Bucket, error) {
	s, err := read(address.Query())
	if err != nil {
		return nil, err
	}
	cfg, err := config.LoadDefaultConfig(ctx, s.load...)
	if err != nil {
		return nil, err
	}
	if s.role != "" {
		cfg.Credentials = aws.NewCredentialsCache(stscreds.NewAssumeRoleProvider(sts.NewFromConfig(cfg), s.role))
	}
	if !s.anonymous {
		cfg.Credentials = credentials{cfg.Credentials}
	}
	s.noChecks = s.noChecks || cfg.ResponseChecksumValidation == aws.ResponseChecksumValidationWhenRequired
	// The driver compares checksums itself: the library's error for a difference has no type.
	cfg.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	client := s3.NewFromConfig(cfg, s.client...)
	if isGoogle(aws.ToString(client.Options().BaseEndpoint)) {
		return nil, errors.New("the S3 interface of Google ignores If-None-Match, so two writers could overwrite each other: it cannot be used")
	}
	uploads := transfermanager.New(client, func(o *transfermanager.Options) { o.RequestChecksumCalculation = cfg.RequestChecksumCalculation })
	return &bucket{name: address.Host, client: client, uploads: uploads, settings: s}, nil
}

// isGoogle reports whether an endpoint, of the address or the environment, is Google's.
func isGoogle(endpoint string) bool {
	_, host, found := strings.Cut(endpoint, "://")
	if !found {
		host = endpoint
	}
	u, err := url.Parse("//" + host)
	return err == nil && strings.HasSuffix("."+strings.ToLower(u.Hostname()), ".googleapis.com")
}

func read(parameters url.Values) (settings, error) {
	var s settings
	for name, values := range parameters {
		value := values[0]
		is, notBool := strconv.ParseBool(value)
		switch name {
		case "region":
			s.load = append(s.load, config.WithRegion(value))
			continue
		case "endpoint":
			s.client = append(s.client, func(o *s3.Options) { o.BaseEndpoint = aws.String(value) })
			continue
		case "profile":
			s.load = append(s.load, config.WithSharedConfigProfile(value))
			continue
		case "role":
			if s.role = value; !strings.HasPrefix(value, "arn:") {
				return s, errors.New("the parameter role wants the ARN of a role, such as arn:aws:iam::123456789012:role/mkt")
			}
			continue
		case "ssetype":
			for _, known := range types.ServerSideEncryption("").Values() {
				if strings.EqualFold(string(known), value) {
					s.encryption = known
				}
			}
			if s.encryption == "" {
				return s, fmt.Errorf("the parameter ssetype wants one of %v", types.ServerSideEncryption("").Values())
			}
			continue
		case "kmskeyid":
			s.kmsKey = value
			continue
		case "request_checksum_calculation":
			mode, ok := map[string]aws.RequestChecksumCalculation{"when_supported": aws.RequestChecksumCalculationWhenSupported, "when_required": aws.RequestChecksumCalculationWhenRequired}[value]
			if !ok {
				return s, errors.New("the parameter request_checksum_calculation wants when_supported or when_required")
			}
			s.load = append(s.load, config.WithRequestChecksumCalculation(mode))
			continue
		case "response_checksum_validation":
			if s.noChecks = value == "when_required"; !s.noChecks && value != "when_supported" {
				return s, errors.New("the parameter response_checksum_validation wants when_supported or when_required")
			}
			continue
		case "use_path_style", "s3ForcePathStyle":
			s.client = append(s.client, func(o *s3.Options) { o.UsePathStyle = is })
		case "disable_https":
			s.client = append(s.client, func(o *s3.Options) { o.EndpointOptions.DisableHTTPS = is })
		case "accelerate":
			s.client = append(s.client, func(o *s3.Options) { o.UseAccelerate = is })
		case "dualstack":
			if is {
				s.load = append(s.load, config.WithUseDualStackEndpoint(aws.DualStackEndpointStateEnabled))
			}
		case "fips":
			if is {
				s.load = append(s.load, config.WithUseFIPSEndpoint(aws.FIPSEndpointStateEnabled))
			}
		case "anonymous":
			if s.anonymous = is; is {
				s.load = append(s.load, config.WithCredentialsProvider(aws.AnonymousCredentials{}))
			}
		default:
			return s, fmt.Errorf("unknown parameter %q", name)
		}
		if notBool != nil {
			return s, fmt.Errorf("the parameter %s wants true or false", name)
		}
	}
	return s, nil
}

// credentials marks an error of the credentials' source as one.
type credentials struct{ aws.CredentialsProvider }

func (c credentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	found, err := c.CredentialsProvider.Retrieve(ctx)
	if err != nil && ctx.Err() == nil {
		err = &object.Error{Kind: object.Denied}
	}
	return found, err
}

type bucket struct {
	name    string
	client  *s3.Client
	uploads *transfermanager.Client
	settings
}

// wantChecksum asks for the checksums of an object.
func wantChecksum(o *s3.Options) {
	o.APIOptions = append(o.APIOptions, smithyhttp.SetHeaderValue("x-amz-checksum-mode", "ENABLED"))
}

func (b *bucket) Read(ctx context.Context, key string) (io.ReadCloser, object.Attributes, error) {
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: &key}, wantChecksum)
	if err != nil {
		return nil, object.Attributes{}, refusal(err)
	}
	body := io.ReadCloser(out.Body)
	if !b.noChecks {
		body = checked(out)
	}
	return body, object.Attributes{Size: aws.ToInt64(out.ContentLength), Stored: aws.ToTime(out.LastModified)}, nil
}

func (b *bucket) Look(ctx context.Context, key string) (object.Attributes, error) {
	out, err := b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.name, Key: &key})
	if err != nil {
		return object.Attributes{}, refusal(err)
	}
	return object.Attributes{Size: aws.ToInt64(out.ContentLength), Stored: aws.ToTime(out.LastModified)}, nil
}

// Write sends an object in parts if it is large. The library sends a checksum with each.
func (b *bucket) Write(ctx context.Context, key string, body io.Reader, onlyIfAbsent bool) error {
	in := &transfermanager.UploadObjectInput{Bucket: &b.name, Key: &key, Body: body, ContentType: aws.String("application/octet-stream")}
	if onlyIfAbsent {
		in.IfNoneMatch = aws.String("*")
	}
	if b.encryption != "" {
		in.ServerSideEncryption = tmtypes.ServerSideEncryption(b.encryption)
	}
	if b.kmsKey != "" {
		in.SSEKMSKeyID = &b.kmsKey
	}
	_, err := b.uploads.UploadObject(ctx, in)
	return refusal(err)
}

func (b *bucket) Delete(ctx context.Context, key string) error {
	_, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: &key})
	return refusal(err)
}

func (b *bucket) List(ctx context.Context, from object.Listing) (object.Page, error) {
	in := &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: &from.Prefix, ContinuationToken: optional(from.Token), Delimiter: optional(from.Delimiter), StartAfter: optional(from.After)}
	out, err := b.client.ListObjectsV2(ctx, in)
	if err != nil {
		return object.Page{}, refusal(err)
	}
	page := object.Page{Next: aws.ToString(out.NextContinuationToken)}
	for _, o := range out.Contents {
		page.Objects = append(page.Objects, object.Object{Key: aws.ToString(o.Key), Attributes: object.Attributes{Size: aws.ToInt64(o.Size), Stored: aws.ToTime(o.LastModified)}})
	}
	for _, p := range out.CommonPrefixes {
		page.Objects = append(page.Objects, object.Object{Key: aws.ToString(p.Prefix), IsPrefix: true})
	}
	slices.SortFunc(page.Objects, func(a, b object.Object) int { return strings.Compare(a.Key, b.Key) })
	return page, nil
}

func (b *bucket) Close() error { return nil }

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// refusal turns an error of the library into one of a bucket.
func refusal(err error) error {
	var own *object.Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	var status int
	var code string
	var answer *smithyhttp.ResponseError
	if errors.As(err, &answer) {
		status = answer.HTTPStatusCode()
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		code = api.ErrorCode()
	}
	if status == 0 {
		return err
	}
	// A HEAD has no code: the library makes one from the status.
	if code == "NotFound" || code == "Forbidden" || code == "BadRequest" {
		return object.Refusal(status, "")
	}
	return object.Refusal(status, code)
}
